"""An answer without a language model: the best supporting sentences, quoted and cited.

Of each of the first passages that the knowledge rests on, the sentence most like the question is quoted; so both ends
of a question that needs two documents are there; where there are fewer passages, one may be quoted more than once.
Where even the best sentence is hardly like the question, the documents do not answer it, and that is the answer.

The embedders on this machine know little of other languages than English. There a sentence is like the question as
far as it has its words, more than as far as the embedder says, and more passages are read for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from polyadic.generation.phrases import no_answer
from polyadic.identity import normal_text
from polyadic.knowledge import Answer, Citation, Item, Kind, Knowledge, Place, Span, Step, Usage
from polyadic.models.embedder import Embedder
from polyadic.text.function_words import function_words
from polyadic.text.in_common import shares_in_common
from polyadic.text.language import detect_language
from polyadic.text.plain_text import is_heading
from polyadic.text.sentences import sentences
from polyadic.text.words import words
from polyadic.tracing.spans import step_done

PASSAGES_QUOTED = 3
# A passage that scores less than this share of the best one, or a sentence less like the question than this share of
# the likest, says little. Chosen on the even-numbered questions of two multi-hop sets, where it costs 2 to 7 % of the
# answers and saves every fifth quotation.
LEAST_SHARE = 0.4
# Of sentences about as much like the question, the one that retrieval found strongest is quoted; chosen likewise.
RETRIEVAL_WEIGHT = 0.1
# An answer says something that the question does not: a sentence with fewer new words than this counts for less, or
# "Scrooge inquired." would answer every question about Scrooge. A name or a number is worth two words.
NEW_WORDS = 4
_WORDS_A_NAME_IS_WORTH = 2
# A question of so many words that say something is answered where all of them are, however short it is.
_TELLING_WORDS = 2
QUOTED = "no language model was asked: the best supporting sentences are quoted"
NO_SUPPORT = "no language model was asked, and no sentence found is enough like the question to be quoted"
# Embedders that know little of any language but one; there words in common tell more.
_OF_ONE_LANGUAGE, _THEIR_LANGUAGE = ("all-MiniLM-L6-v2", "hashing-"), "en"
_WORDS_WEIGHT = 0.6
# A sentence with less of the question's words does not answer it; what share of the likest another must have, as words
# differ more than cosines; and from how many passages to choose. All are from questions about a few short texts in
# German, Spanish and Chinese.
LEAST_IN_COMMON = 0.42
_LEAST_SHARE_BY_WORDS = 0.3
_PASSAGES_READ = 6
_QUESTION_MARKS = ("?", "？", "؟", '?"', "?”", "?’", "?'")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that may be quoted.

    ``strength`` in [0, 1]: how strongly retrieval found it as a fact; ``news`` in [0, 1]: how far it says more than
    the question, or all that the question says; ``similarity``: of the two, less where there is little news;
    ``says_all``: it has every word of the question that says something, of at least two; ``shared``: the share of
    the question's words that it has, where that tells more than the embedder.
    """

    place: Place
    language: str
    strength: float
    news: float
    says_all: bool
    similarity: float = 0.0
    shared: float | None = None

    def compared(self, cosine: float, shared: float | None) -> "_Candidate":
        if shared is None:
            return replace(self, similarity=cosine * self.news)
        news = max(self.news, shared)
        likeness = _WORDS_WEIGHT * shared + (1 - _WORDS_WEIGHT) * cosine
        return replace(self, news=news, similarity=likeness * news, shared=shared * news)

    def related(self, unrelated_below: float) -> bool:
        """Whether it is enough like the question for an answer."""
        if self.shared is not None:
            return self.shared >= LEAST_IN_COMMON
        return self.similarity >= unrelated_below or self.says_all

    @property
    def preference(self) -> float:
        return self.similarity + RETRIEVAL_WEIGHT * self.strength * self.news


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of a question that say something, and those that say nothing in its language."""

    question: str
    language: str
    content: frozenset[str]
    empty: frozenset[str]

    @classmethod
    def of(cls, question: str) -> "_Asked":
        language = detect_language(question)
        empty = function_words(language)
        return cls(question, language, words(question) - empty, empty)

    def news(self, sentence: str) -> float:
        said = words(sentence)
        if self.content and self.content <= said:
            return 1.0
        new = said - self.content - self.empty
        telling = sum(word not in sentence or word.isdecimal() for word in new)
        return min(1.0, (len(new) + (_WORDS_A_NAME_IS_WORTH - 1) * telling) / NEW_WORDS)

    def all_in(self, sentence: str) -> bool:
        """Whether a sentence has all words that say something, of which there are at least two."""
        return len(self.content) >= _TELLING_WORDS and self.content <= words(sentence)

    def beyond(self, embedder: Embedder) -> bool:
        """Whether the question is in a language of which the embedder knows little."""
        return self.language != _THEIR_LANGUAGE and embedder.name.startswith(_OF_ONE_LANGUAGE)

    def shares(self, candidates: Sequence[_Candidate]) -> list[float | None]:
        """Of the question's words the share that each candidate in its language has."""
        shares = shares_in_common(self.question, [_in_context(c.place) for c in candidates], self.language)
        return [share if c.language == self.language else None for c, share in zip(candidates, shares, strict=True)]


async def quote_answer(knowledge: Knowledge, embedder: Embedder) -> Answer:
    """Answer from knowledge by quoting it.

    Returns
    -------
    Answer
        With one citation a quotation, each of exactly the quoted characters; ``answered`` is false, without
        citations, where the best sentence is less like the question than ``embedder.unrelated_below``.
    """
    started = perf_counter()
    strengths = _strengths(knowledge.facts)
    asked = _Asked.of(knowledge.question)
    seen: set[str] = set()
    beyond = asked.beyond(embedder)
    wish = (_PASSAGES_READ, _LEAST_SHARE_BY_WORDS) if beyond else (PASSAGES_QUOTED, LEAST_SHARE)
    first = _first_passages(knowledge.items, *wish)
    passages = [list(_candidates(places, strengths, asked, seen)) for places in first]
    candidates = [candidate for found in passages for candidate in found]
    texts = [_in_context(candidate.place) for candidate in candidates]
    vectors = await embedder.embed([knowledge.question, *texts])
    embedded = Step("embed the sentences", f"{len(texts)} of {len(passages)} passages", perf_counter() - started)
    step_done(embedded.name)
    cosines = (vectors[1:] @ vectors[0]).tolist()
    alike = zip(cosines, asked.shares(candidates) if beyond else [None] * len(candidates), strict=True)
    compared = [[candidate.compared(*next(alike)) for candidate in found] for found in passages]
    spare = max(0, PASSAGES_QUOTED - _chunks_in(knowledge.items))
    quotes = _supporting(_best(compared, spare), embedder.unrelated_below)
    chosen = Step("quote", f"{len(quotes)} sentences", perf_counter() - started - embedded.seconds)
    step_done(chosen.name)
    return Answer(
        question=knowledge.question,
        text="\n".join(f'"{normal_text(q.place.quote)}" [{n}]' for n, q in enumerate(quotes, 1))
        or no_answer(asked.language),
        answered=bool(quotes),
        citations=tuple(Citation(n, quote.place, quote.similarity) for n, quote in enumerate(quotes, 1)),
        knowledge=knowledge,
        usage=Usage(),
        note="; ".join(filter(None, (QUOTED if quotes else NO_SUPPORT, knowledge.note))),
        trace=(*knowledge.trace, embedded, chosen),
    )


def _best(passages: Sequence[Sequence[_Candidate]], spare: int) -> list[_Candidate]:
    """The preferred sentence of each passage, and as many more as are to spare, whichever passage they are from."""
    ranked = [sorted(candidates, key=lambda c: -c.preference) for candidates in passages if candidates]
    rest = sorted((candidate for others in ranked for candidate in others[1:]), key=lambda c: -c.preference)
    return [first for first, *_ in ranked] + rest[:spare]


def _chunks_in(items: Sequence[Item]) -> int:
    return len({place.chunk_id for item in items for place in item.places[:1]})


def _supporting(best: Sequence[_Candidate], unrelated_below: float) -> list[_Candidate]:
    """Those worth quoting, the likest first; none where even that is unlike the question."""
    ranked = sorted(best, key=lambda candidate: -candidate.similarity)
    if not any(candidate.related(unrelated_below) for candidate in ranked):
        return []
    least = (LEAST_SHARE if ranked[0].shared is None else _LEAST_SHARE_BY_WORDS) * ranked[0].similarity
    telling = [candidate for candidate in ranked if candidate.similarity >= least]
    return telling[:PASSAGES_QUOTED]


def _first_passages(items: Sequence[Item], count: int, least_share: float) -> list[list[Place]]:
    """The first chunks that the items rest on, but for those that score far less than the best.

    Of each all that is known: its whole text where the chunk itself is among the items, else what facts quote of it.
    """
    scores = {item.id: item.score for item in items if item.kind is Kind.CHUNK}
    weakest = least_share * max(scores.values(), default=0.0)
    passages: dict[str, list[Place]] = {}
    for item in items:
        for place in item.places[:1]:
            if place.chunk_id in passages or len(passages) < count:
                known = passages.setdefault(place.chunk_id, [])
                known[:] = [place] if item.kind is Kind.CHUNK else [*known, place]
    return [places for chunk, places in passages.items() if scores.get(chunk, weakest) >= weakest]


def _strengths(facts: Sequence[Item]) -> dict[tuple[str, Span], float]:
    """The score of each fact as a share of the best, by the document and the characters that state it."""
    highest = max((fact.score for fact in facts), default=0.0)
    return {(p.document_id, p.span): fact.score / highest for fact in facts for p in fact.places if highest > 0}


def _candidates(
    places: Sequence[Place], strengths: Mapping[tuple[str, Span], float], asked: _Asked, seen: set[str]
) -> Iterator[_Candidate]:
    """The sentences that could answer: no headings, no questions, and none that has been seen.

    Chunks overlap, and documents repeat each other; what is quoted once is not quoted again.
    """
    for whole in places:
        language = detect_language(whole.quote)
        for span in sentences(whole.quote, language):
            place = whole.part(span)
            quote = place.quote
            said = normal_text(quote)
            if said not in seen and not is_heading(quote) and not quote.endswith(_QUESTION_MARKS):
                seen.add(said)
                strength = strengths.get((place.document_id, place.span), 0.0)
                yield _Candidate(place, language, strength, asked.news(quote), asked.all_in(quote))


def _in_context(place: Place) -> str:
    """What is compared with the question: a sentence often leaves out what the title says it is about."""
    sentence = normal_text(place.quote)
    return sentence if not place.title or place.title.lower() in sentence.lower() else f"{place.title}: {sentence}"
