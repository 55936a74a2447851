"""Answer without a language model: quote the sentences that answer best, each with its citation.

The sentences of the first passages are scored by a linear model of what tells an answer: words, vectors, the kind of
answer that is asked for, how strongly retrieval found it. One good sentence is an answer; two more are added where they
score nearly as well or have words of the question that those before them lack. Whether to answer at all, and how sure
to be of the first, is learned too. The weights are made by ``python -m benchmarks.learn_ranking``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.embedder import Embedder
from polyadic.generation.citation_parser import without_markers
from polyadic.generation.messages import no_answer
from polyadic.generation.sentence_candidates import SentenceCandidate, candidates, rarity
from polyadic.model.identity import normal_text
from polyadic.model.types import Answer, Citation, Knowledge, SourceSpan, Span, TraceStep, Usage
from polyadic.retrieval.relevance.answer_confidence import judge
from polyadic.retrieval.relevance.linear_model import LinearModel, learned
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.retrieval.relevance.sentence_features import (
    COLUMNS,
    asked_words,
    rare_coverage,
    read_sentences,
    sentence_features,
)
from polyadic.storage.protocol import Reader
from polyadic.text.code_fences import code_blocks, without_fences
from polyadic.text.stopwords import PRONOUNS
from polyadic.text.table_rows import is_pipe_row
from polyadic.text.words import WORD
from polyadic.tracing.spans import step_done

MOST_QUOTED = 3
# A further sentence is quoted where its score is at most this far below the best one's, and less far the surer that one
# is to answer: above SURE the gap shrinks to nothing.
GREATEST_GAP, SURE = 2.0, 0.6
# A further sentence adds less where it is of the same passage, and more where it has words of the question that those
# before it lack: questions that need two documents are answered by both.
SAME_PASSAGE = 0.5
MORE_OF_THE_QUESTION = 5.0
QUOTED = "no language model was asked: the best supporting sentences are quoted"
NO_SUPPORT = "no language model was asked, and no sentence found is likely to answer this"
_ANNOUNCES = (":", "：")
_LONGEST_WITH_CONTEXT = 700


async def quote_answer(knowledge: Knowledge, embedder: Embedder, reader: Reader) -> Answer:
    """Answer from knowledge by quoting it.

    Parameters
    ----------
    knowledge
        What was retrieved.
    embedder
        Compares the question with sentences that have no stored vector.
    reader
        Gives the vectors of those that have one.

    Returns
    -------
    Answer
        With one citation a quotation, each of exactly the quoted characters, and with ``confidence``, how probable it
        is that the first one answers; ``answered`` is false, without citations, where probably no sentence does.
    """
    started = perf_counter()
    asked = read_asked(knowledge.question)
    found = await candidates(knowledge, asked, reader, embedder)
    compared = TraceStep("compare sentences", _sentences(len(found)), perf_counter() - started)
    step_done(compared.name)
    read = read_sentences(asked, [candidate.sentence for candidate in found])
    features = sentence_features(asked, read)
    scores = LinearModel.named(learned("sentences")["score"], COLUMNS).scores(features)
    judgement = judge(asked, features, scores, rare_coverage(read, *rarity(asked, reader)))
    words = asked_words(asked, read)
    greatest_gap = GREATEST_GAP * min(1.0, (1 - judgement.confidence) / (1 - SURE))
    quotes = _chosen(found, scores, words, greatest_gap) if not judgement.is_refused else []
    chosen = TraceStep(
        "quote",
        f"{_sentences(len(quotes))}; confidence {judgement.confidence:.2f}",
        perf_counter() - started - compared.seconds,
    )
    step_done(chosen.name)
    return Answer(
        question=knowledge.question,
        text="\n".join(f'"{quote.text}" [{n}]' for n, quote in enumerate(quotes, 1)) or no_answer(asked.language),
        answered=bool(quotes),
        citations=tuple(Citation(n, quote.place, quote.score) for n, quote in enumerate(quotes, 1)),
        knowledge=knowledge,
        usage=Usage(),
        note="; ".join(filter(None, (QUOTED if quotes else NO_SUPPORT, knowledge.note))),
        trace=(*knowledge.trace, compared, chosen),
        confidence=judgement.confidence,
    )


@dataclass(frozen=True, slots=True)
class _Quotation:
    """Characters of a passage, how an answer words them, and their odds as a share of those of the best quotation."""

    place: SourceSpan
    text: str
    score: float


@dataclass(slots=True)
class _Piece:
    """The candidates from ``first`` to ``last``, quoted together, and the score of the best of them."""

    first: int
    last: int
    score: float


def _chosen(
    found: Sequence[SentenceCandidate], scores: NDArray[np.float64], words: NDArray[np.float64], greatest_gap: float
) -> list[_Quotation]:
    """The best sentence, and up to two more that add to it, each with what makes it readable.

    Those that stand next to each other are quoted in one piece.
    """
    quotes: list[_Piece] = []
    left = np.array([not candidate.is_repeated for candidate in found], dtype=np.bool_)
    said, in_passage = np.zeros(words.shape[1]), np.zeros(len(found))
    adds, best = scores.copy(), scores[left].max(initial=-np.inf)
    added = 0
    while left.any() and added < MOST_QUOTED:
        place = int(np.argmax(np.where(left, adds, -np.inf)))
        gap = float(best - adds[place])
        if gap > greatest_gap:
            break
        left[place] = False
        # Where what it leans on is quoted already, it stands alone.
        ways = (_readable(place, found), (place, place))
        readable = next((way for way in ways if not any(_overlap(way, quote, found) for quote in quotes)), None)
        if readable is None:
            continue
        added += 1
        _quote(readable, float(np.exp(-max(0.0, gap))), quotes, found)
        said = np.maximum(said, words[place])
        in_passage += [one.passage is found[place].passage for one in found]
        adds = scores + MORE_OF_THE_QUESTION * np.maximum(words - said, 0).sum(axis=1) - SAME_PASSAGE * in_passage
    return [_quotation(found[quote.first : quote.last + 1], quote.score) for quote in quotes]


def _quote(readable: tuple[int, int], score: float, quotes: list[_Piece], found: Sequence[SentenceCandidate]) -> None:
    """Add candidates to the quotation that they go on with or lead to, or else as one of their own."""
    first, last = readable
    for quote in quotes:
        if first == quote.last + 1 and _are_one(quote.last, first, quote.first, last, found):
            quote.last = last
            return
        if last + 1 == quote.first and _are_one(last, quote.first, first, quote.last, found):
            quote.first = first
            return
    quotes.append(_Piece(first, last, score))


def _are_one(before: int, after: int, first: int, last: int, found: Sequence[SentenceCandidate]) -> bool:
    """Whether two neighbours follow each other, and all from ``first`` to ``last`` is short enough for one piece."""
    return _follows(found[before], found[after]) and _fits(found[first], found[last])


def _overlap(readable: tuple[int, int], quote: _Piece, found: Sequence[SentenceCandidate]) -> bool:
    first, last = (found[place].place for place in readable)
    other_first, other_last = found[quote.first].place, found[quote.last].place
    return first.document_id == other_first.document_id and (
        first.span.start < other_last.span.end and other_first.span.start < last.span.end
    )


def _readable(place: int, found: Sequence[SentenceCandidate]) -> tuple[int, int]:
    """The first and last candidate of what makes a sentence readable: what it leans on, the items that it announces."""
    own = found[place]
    first = last = place
    words = WORD.findall(own.place.quote.lower()[:40])
    if place and words and words[0] in PRONOUNS and _follows(found[place - 1], own):
        first = place - 1
    announced = _announcing(place, found)
    if announced is not None and _fits(found[announced], own):
        first = announced
    if own.place.quote.rstrip().endswith(_ANNOUNCES):
        while last + 1 < len(found) and _belongs(own, found[last], found[last + 1]):
            last += 1
    return first, last


def _belongs(announcing: SentenceCandidate, before: SentenceCandidate, candidate: SentenceCandidate) -> bool:
    """Whether a candidate is announced: the first thing after the colon, and further items of a list."""
    is_announced = before is announcing or (before.sentence.is_item and candidate.sentence.is_item)
    return is_announced and _follows(before, candidate) and _fits(announcing, candidate)


def _announcing(place: int, found: Sequence[SentenceCandidate]) -> int | None:
    """The sentence that announces the list of which this one is an item; None where it is none, or nothing does."""
    first = place
    while first and found[first].sentence.is_item and _follows(found[first - 1], found[first]):
        first -= 1
    return first if first < place and found[first].place.quote.rstrip().endswith(_ANNOUNCES) else None


def _fits(first: SentenceCandidate, last: SentenceCandidate) -> bool:
    return last.place.span.end - first.place.span.start <= _LONGEST_WITH_CONTEXT


def _follows(first: SentenceCandidate, second: SentenceCandidate) -> bool:
    """Whether a sentence stands right after another, with white space and marks of lists alone between them."""
    if first.passage is not second.passage:
        return False
    origin = first.passage.span.start
    between = first.passage.quote[first.place.span.end - origin : second.place.span.start - origin]
    return first.place.span.end <= second.place.span.start and not between.strip()


def _quotation(parts: Sequence[SentenceCandidate], score: float) -> _Quotation:
    """Quote sentences that stand one after the other in a passage; rows of pipe tables with the names of columns."""
    passage, first = parts[0].passage, parts[0].place
    start, end = first.span.start - passage.span.start, parts[-1].place.span.end - passage.span.start
    place = replace(passage.part(Span(start, end)), headings=first.headings)
    rows = [is_pipe_row(part.place.quote) for part in parts]
    if not any(rows):
        return _Quotation(place, quotation(place), score)
    worded = (
        without_markers(part.sentence.statement) if is_row else quotation(part.place)
        for part, is_row in zip(parts, rows, strict=True)
    )
    return _Quotation(place, " ".join(worded), score)


def quotation(place: SourceSpan) -> str:
    """The words of a place as an answer quotes them: prose on one line, of code the lines.

    A document's own ``[2]`` is no citation of ours.
    """
    parts: list[str] = []
    end = 0
    for code in code_blocks(place.quote):
        parts += [normal_text(place.quote[end : code.start]), _shown_code(place.quote[code.start : code.end])]
        end = code.end
    parts.append(normal_text(place.quote[end:]))
    return without_markers(" ".join(filter(None, parts)))


def _shown_code(block: str) -> str:
    """A line of code as it stands; of several each on a line of its own."""
    lines = without_fences(block)
    return lines.strip() if "\n" not in lines else f"\n{lines}\n"


def _sentences(number: int) -> str:
    return "1 sentence" if number == 1 else f"{number} sentences"
