"""An answer without a language model: the best supporting sentences, quoted and cited.

Of each of the first passages that the knowledge rests on, the sentence most like the question is quoted; so both ends
of a question that needs two documents are there. Where even the best sentence is hardly like the question, the
documents do not answer it, and that is the answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from polyadic.identity import normal_text
from polyadic.knowledge import Answer, Citation, Item, Kind, Knowledge, Place, Span, Step, Usage
from polyadic.models.embedder import Embedder
from polyadic.text.language import detect_language
from polyadic.text.plain_text import is_heading
from polyadic.text.sentences import sentences

PASSAGES_QUOTED = 3
# A passage that scores less than this share of the best one, or a sentence less like the question than this share of
# the likest, says little. Chosen on the even-numbered questions of two multi-hop sets, where it costs 2 to 4 % of the
# answers and saves every fifth quotation.
LEAST_SHARE = 0.4
# Of sentences about as much like the question, the one that retrieval put first is quoted.
LEAD_BONUS = 0.02
QUOTED = "no language model is configured: the best supporting sentences are quoted"
NO_ANSWER = "Nothing in these documents answers that."
NO_SUPPORT = "no language model is configured, and no sentence found is enough like the question to be quoted"
_QUESTION_MARKS = ("?", "？", "؟", '?"', "?”", "?’", "?'")


@dataclass(frozen=True, slots=True)
class _Passage:
    """What is known of a chunk: its own place, or those of facts in it; and the fact that retrieval put first."""

    lead: Span
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class _Quote:
    place: Place
    similarity: float
    leads: bool

    @property
    def preference(self) -> float:
        return self.similarity + LEAD_BONUS * self.leads


async def quote_answer(knowledge: Knowledge, embedder: Embedder) -> Answer:
    """Answer from knowledge by quoting it.

    Returns
    -------
    Answer
        With one citation a quotation, each of exactly the quoted characters; ``answered`` is false, without
        citations, where the best sentence is less like the question than ``embedder.unrelated_below``.
    """
    started = perf_counter()
    passages = _first_passages(knowledge.items)
    candidates = [places for passage in passages if (places := list(_sentences(passage)))]
    texts = [_in_context(place) for places in candidates for place in places]
    vectors = await embedder.embed([knowledge.question, *texts])
    embedded = Step("embed the sentences", f"{len(texts)} of {len(candidates)} passages", perf_counter() - started)
    similarities = iter((vectors[1:] @ vectors[0]).tolist())
    leads = {passage.lead for passage in passages}
    likest = [
        max((_Quote(place, next(similarities), place.span in leads) for place in places), key=_preference)
        for places in candidates
    ]
    quotes = _supporting(likest, embedder.unrelated_below)
    chosen = Step("quote", f"{len(quotes)} sentences", perf_counter() - started - embedded.seconds)
    return Answer(
        question=knowledge.question,
        text="\n".join(f'"{normal_text(q.place.quote)}" [{n}]' for n, q in enumerate(quotes, 1)) or NO_ANSWER,
        answered=bool(quotes),
        citations=tuple(Citation(n, quote.place, quote.similarity) for n, quote in enumerate(quotes, 1)),
        knowledge=knowledge,
        usage=Usage(),
        note=QUOTED if quotes else NO_SUPPORT,
        trace=(*knowledge.trace, embedded, chosen),
    )


def _preference(quote: _Quote) -> float:
    return quote.preference


def _supporting(quotes: Sequence[_Quote], unrelated_below: float) -> list[_Quote]:
    ranked = sorted(quotes, key=_preference, reverse=True)
    if not ranked or ranked[0].similarity < unrelated_below:
        return []
    return [quote for quote in ranked if quote.similarity >= LEAST_SHARE * ranked[0].similarity]


def _first_passages(items: Sequence[Item]) -> list[_Passage]:
    """The first chunks that the items rest on, but for those that score far less than the best."""
    scores = {item.id: item.score for item in items if item.kind is Kind.CHUNK}
    weakest = LEAST_SHARE * max(scores.values(), default=0.0)
    passages: dict[str, _Passage] = {}
    for item in items:
        for place in item.places[:1]:
            known = passages.get(place.chunk_id)
            if known is None and len(passages) < PASSAGES_QUOTED:
                passages[place.chunk_id] = _Passage(place.span, (place,))
            elif known is not None:
                places = (place,) if item.kind is Kind.CHUNK else (*known.places, place)
                passages[place.chunk_id] = replace(known, places=places)
    return [passage for chunk, passage in passages.items() if scores.get(chunk, weakest) >= weakest]


def _sentences(passage: _Passage) -> Iterator[Place]:
    """The sentences of a passage that could answer, each once: no headings, and no questions."""
    seen = set()
    for whole in passage.places:
        for span in sentences(whole.quote, detect_language(whole.quote)):
            quote = whole.quote[span.start : span.end]
            place = replace(whole, span=Span(whole.span.start + span.start, whole.span.start + span.end), quote=quote)
            if place.span not in seen and not is_heading(quote) and not quote.endswith(_QUESTION_MARKS):
                seen.add(place.span)
                yield place


def _in_context(place: Place) -> str:
    """What is compared with the question: a sentence often leaves out what the title says it is about."""
    sentence = normal_text(place.quote)
    return sentence if not place.title or place.title.lower() in sentence.lower() else f"{place.title}: {sentence}"
