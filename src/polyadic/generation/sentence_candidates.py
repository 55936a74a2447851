"""The sentences of the passages that were retrieved, each with what tells how well it answers the question."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.model.identity import normal_text
from polyadic.model.types import Heading, Item, ItemKind, Knowledge, SourceSpan, Span
from polyadic.retrieval.relevance.question_features import QuestionFeatures
from polyadic.retrieval.relevance.sentence_features import SentenceFeatures
from polyadic.retrieval.relevance.stemming import stem, tokens
from polyadic.storage.protocol import Reader
from polyadic.text.code_fences import code_blocks, without_fences
from polyadic.text.headings import headings_above, is_within
from polyadic.text.language import detect_language
from polyadic.text.lists import is_item
from polyadic.text.plain_text import plain
from polyadic.text.sentences import sentences

PASSAGES_READ = 10
_HIGHEST_FACT_SCORE = 10.0
# A sentence without a fact of its own: what most complete sentences have.
_USUAL_COMPLETENESS = 0.8
# Sentences without a stored vector that are embedded for a question, at most.
_MOST_EMBEDDED = 24
_UNKNOWN = float("nan")
# A word that more passages hold is not rare, however many there are.
_MOST_HOLDING = 500
# A question answers none.
_QUESTION_MARKS = ("?", "？", "؟", '?"', "?”", "?’", "?'")


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that may be quoted, where it stands, and the passage in which it does.

    One that is repeated stands in an earlier passage as well: it is not quoted, but others are compared with it.
    """

    place: SourceSpan
    passage: SourceSpan
    sentence: SentenceFeatures
    is_repeated: bool


async def candidates(
    knowledge: Knowledge, asked: QuestionFeatures, reader: Reader, embedder: Embedder
) -> list[SentenceCandidate]:
    """The sentences of the first passages, in the order of the passages.

    The vectors of facts are reused; a few sentences without one are embedded.
    """
    passages = _passages(knowledge.items)
    scores_of, strengths = _relative_scores(knowledge.items, passages), _strengths(knowledge.facts)
    found = list(_sentences(passages, reader.headings(list(passages)), scores_of, strengths))
    stated = {(one.chunk_id, one.span): one.fact for one in reader.statements(list(passages))}
    facts = [stated.get((candidate.place.chunk_id, candidate.place.span), -1) for candidate in found]
    rows = np.unique(np.array([fact for fact in facts if fact >= 0], dtype=np.int64))
    unknown = _to_embed(found, facts, asked)
    vectors = await embedder.embed([knowledge.question, *(_in_context(found[place]) for place in unknown)])
    question = vectors[:1]
    cosines = dict(zip(rows.tolist(), reader.similarity("fact", rows, question)[0].tolist(), strict=True))
    scores = dict(zip(rows.tolist(), reader.scores("fact", rows).tolist(), strict=True))
    texts = dict(zip(rows.tolist(), (fact.text for fact in reader.facts(rows)), strict=True))
    embedded = dict(zip(unknown, (vectors[1:] @ question[0]).tolist(), strict=True))
    least = min([*cosines.values(), *embedded.values()], default=0.0)
    return [
        replace(
            candidate,
            sentence=replace(
                candidate.sentence,
                statement=texts.get(fact, candidate.sentence.text),
                cosine=cosines.get(fact, embedded.get(place, least)) / embedder.unrelated_below,
                completeness=scores[fact] / _HIGHEST_FACT_SCORE if fact in scores else _USUAL_COMPLETENESS,
            ),
        )
        for place, (candidate, fact) in enumerate(zip(found, facts, strict=True))
    ]


def rarity(asked: QuestionFeatures, reader: Reader) -> tuple[dict[str, float], frozenset[str]]:
    """How rare each content word of a question is among all passages, and which words none of them holds."""
    words = [word for word in dict.fromkeys(tokens(asked.text)) if stem(word, asked.language) in asked.content]
    counts = np.bincount(reader.holding(words, _MOST_HOLDING).sources, minlength=len(words)).tolist()
    holding = dict.fromkeys(asked.content, 0)
    for word, count in zip(words, counts, strict=True):
        stemmed = stem(word, asked.language)
        holding[stemmed] = max(holding[stemmed], count)
    passages = reader.size("chunk")
    rare = {word: math.log1p(passages / (count + 1)) for word, count in holding.items()}
    return rare, frozenset(word for word, count in holding.items() if not count)


def _passages(items: Sequence[Item]) -> dict[str, list[SourceSpan]]:
    """The first chunks that the items rest on: the whole text where it is among them, else what facts quote of it."""
    passages: dict[str, list[SourceSpan]] = {}
    for item in items:
        for place in item.places[:1]:
            if place.chunk_id in passages or len(passages) < PASSAGES_READ:
                known = passages.setdefault(place.chunk_id, [])
                known[:] = [place] if item.kind is ItemKind.CHUNK else list(dict.fromkeys([*known, place]))
    return passages


def _relative_scores(items: Sequence[Item], passages: Mapping[str, object]) -> dict[str, float]:
    """The score of each chunk as a share of the best; 0 for one that is there by its facts alone."""
    scores = {item.id: item.score for item in items if item.kind is ItemKind.CHUNK}
    highest = max(scores.values(), default=0.0)
    return {chunk: max(0.0, scores.get(chunk, 0.0)) / highest if highest > 0 else 0.0 for chunk in passages}


def _strengths(facts: Sequence[Item]) -> dict[tuple[str, Span], float]:
    """The score of each fact as a share of the best, by the document and the characters that state it."""
    highest = max((fact.score for fact in facts), default=0.0)
    return {(p.document_id, p.span): fact.score / highest for fact in facts for p in fact.places if highest > 0}


def _sentences(
    passages: Mapping[str, Sequence[SourceSpan]],
    headings: Mapping[str, Sequence[Heading]],
    scores: Mapping[str, float],
    strengths: Mapping[tuple[str, Span], float],
) -> Iterator[SentenceCandidate]:
    seen: set[str] = set()
    for rank, (chunk, places) in enumerate(passages.items()):
        outline = headings.get(chunk, ())
        for whole in places:
            before = ""
            code = code_blocks(whole.quote)
            for span in sentences(whole.quote, detect_language(whole.quote)):
                place = whole.part(span)
                is_code = is_within(code, span.start)
                text = without_fences(place.quote) if is_code else plain(place.quote)
                if is_within(outline, place.span.start):
                    before = ""
                    continue
                said = normal_text(text)
                if text and not place.quote.endswith(_QUESTION_MARKS):
                    above = headings_above(outline, place.span.start, place.title)
                    strength = strengths.get((place.document_id, place.span), 0.0)
                    context = " · ".join(filter(None, (place.title, *above)))
                    sentence = SentenceFeatures(
                        text,
                        statement=text,
                        title=place.title,
                        context=context,
                        before=before,
                        is_item=is_item(place.quote),
                        is_code=is_code,
                        cosine=_UNKNOWN,
                        passage=rank,
                        passage_score=scores[chunk],
                        strength=strength,
                        completeness=0.0,
                    )
                    yield SentenceCandidate(replace(place, headings=above), whole, sentence, said in seen)
                    seen.add(said)
                before = text


def _to_embed(found: Sequence[SentenceCandidate], facts: Sequence[int], asked: QuestionFeatures) -> list[int]:
    """The places of those without a stored vector that are worth embedding: with most words of the question."""
    lacking = [place for place, fact in enumerate(facts) if fact < 0]
    return sorted(sorted(lacking, key=lambda place: -asked.overlap(found[place].sentence.text))[:_MOST_EMBEDDED])


def _in_context(candidate: SentenceCandidate) -> str:
    """What is compared with the question: a sentence often leaves out what the title says it is about."""
    title, text = candidate.place.title, candidate.sentence.text
    return text if not title or title.lower() in text.lower() else f"{title}: {text}"
