"""Answer without a language model: quote the best supporting sentences, each with its citation.

A linear model scores the sentences of the first passages. Its features are words, vectors, the expected type of answer
and the retrieval score. For questions in English, a cross-encoder judges the best few again. Unless the question is
refused, the best sentence is quoted; up to two more are added if they score nearly as well or contain further words of
the question. Whether to answer at all, and the confidence of the first sentence, are learned as well.
``python -m benchmarks.learn_ranking``, ``benchmarks.learn_nameless`` and ``benchmarks.learn_selection`` train the
weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.embedder import Embedder
from polyadic.generation.citation_parser import without_markers
from polyadic.generation.named_section import SECTION_FOUND, read_named_section
from polyadic.generation.no_answer_texts import no_answer
from polyadic.generation.quoted_text import QuotedText
from polyadic.generation.sentence_candidates import SentenceCandidate, candidates, rarity
from polyadic.model.identity import normal_text
from polyadic.model.types import Answer, Knowledge, SourceSpan, Span, TraceStep, Usage
from polyadic.rerankers.answer_selection.selector import AnswerSelector
from polyadic.retrieval.relevance.answer_confidence import AnswerConfidence, judge
from polyadic.retrieval.relevance.answer_selection import SelectionLogits, combined_scores, to_judge
from polyadic.retrieval.relevance.linear_model import LinearModel, learned
from polyadic.retrieval.relevance.linked_sentences import linked_by_title
from polyadic.retrieval.relevance.question_coverage import asked_words, rare_coverage
from polyadic.retrieval.relevance.question_features import QuestionFeatures, read_asked
from polyadic.retrieval.relevance.sentence_features import (
    COLUMNS,
    read_sentences,
    sentence_features,
)
from polyadic.storage.protocol import Reader
from polyadic.text.code_fences import code_blocks, without_fences
from polyadic.text.counts import count
from polyadic.text.stopwords import PRONOUNS
from polyadic.text.table_rows import is_pipe_row
from polyadic.text.words import WORD
from polyadic.tracing.spans import step_done

MOST_QUOTED = 3
# A further sentence is quoted if its score is at most this far below the best one. Above a confidence of SURE in the
# best sentence, the permitted gap shrinks linearly to 0 at confidence 1, unless several documents may be needed.
GREATEST_GAP, SURE = 2.0, 0.6
# A further sentence gets a penalty if it comes from a passage already quoted, a bonus for question words that the
# sentences quoted so far lack, and one if a document's title links it to one of them: a question that needs two
# documents is then answered from both.
SAME_PASSAGE = 0.5
MORE_OF_THE_QUESTION = 5.0
LINKED = 1.0
_NOT_ASKED = "no language model was asked"
_ASKED_TO_SEARCH = "a language model was asked only to search"
QUOTED = f"{_NOT_ASKED}: the best supporting sentences are quoted"
NO_SUPPORT = f"{_NOT_ASKED}: no sentence in these documents is likely to answer this"
ANNOUNCES = (":", "：")
_LONGEST_WITH_CONTEXT = 700


async def quote_answer(
    knowledge: Knowledge, embedder: Embedder, reader: Reader, selector: AnswerSelector | None = None
) -> Answer:
    """Answer a question by quoting knowledge.

    Parameters
    ----------
    knowledge
        The retrieved items.
    embedder
        Embeds the question, and sentences without a stored vector.
    reader
        Provides stored vectors.
    selector
        Judges the best sentences again, if the question is in English.

    Returns
    -------
    Answer
        Each quotation has one citation of exactly the quoted characters. ``confidence`` is the probability that the
        first one answers the question. If probably no sentence does, ``answered`` is false, there are no citations, and
        ``confidence`` is None.
    """
    started = perf_counter()
    asked = read_asked(knowledge.question)
    pool = await candidates(knowledge, asked, reader, embedder)
    compared = TraceStep("compare sentences", count(len(pool), "sentence"), perf_counter() - started)
    step_done(compared.name)
    read = read_sentences(asked, [candidate.sentence for candidate in pool])
    features = sentence_features(asked, read)
    learned_scores = LinearModel.named(learned("sentences")["score"], COLUMNS).scores(features)
    selection = await select(asked, pool, learned_scores, selector)
    if selection is not None:
        learned_scores = combined_scores(asked, learned_scores, selection)
    section = read_named_section(asked, pool)
    scores = learned_scores + section.bonus
    judgement = judge(asked, features, learned_scores, rare_coverage(read, *rarity(asked, reader)), selection)
    if section.has_all_words:
        judgement = AnswerConfidence(max(SECTION_FOUND, judgement.confidence), False)
    words = asked_words(asked, read)
    greatest_gap = GREATEST_GAP
    if not section.is_all_that_is_asked and not asked.may_need_several_documents:
        greatest_gap *= min(1.0, (1 - judgement.confidence) / (1 - SURE))
    linked = linked_by_title(asked, [candidate.sentence for candidate in pool])
    quotes = _chosen(pool, scores, words, linked, greatest_gap) if not judgement.is_refused else []
    chosen = TraceStep(
        "quote",
        f"{count(len(quotes), 'sentence')}; confidence {judgement.confidence:.2f}",
        perf_counter() - started - compared.seconds,
    )
    step_done(chosen.name)
    quoted = QuotedText.of((f'"{quote.text}"', quote.place, quote.score) for quote in quotes)
    return Answer(
        question=knowledge.question,
        text=quoted.text or no_answer(asked.language),
        answered=bool(quotes),
        citations=quoted.citations,
        knowledge=knowledge,
        usage=Usage(),
        note="; ".join(filter(None, (_how(knowledge, bool(quotes)), knowledge.note))),
        trace=(*knowledge.trace, compared, chosen),
        confidence=judgement.confidence if quotes else None,
        claims=quoted.claims,
    )


async def select(
    asked: QuestionFeatures,
    pool: Sequence[SentenceCandidate],
    scores: NDArray[np.float64],
    selector: AnswerSelector | None,
) -> SelectionLogits | None:
    """Judge the best candidates by the cross-encoder; None without it, and for questions that are not in English."""
    if selector is None or asked.language != "en" or not pool:
        return None
    rows = to_judge(scores, np.array([candidate.is_repeated for candidate in pool], dtype=np.bool_))
    sentences = [pool[row].sentence for row in rows]
    # The context contains the title already, with which a fact may begin.
    pairs = [(one.context, one.statement.removeprefix(f"{one.title}: ")) for one in sentences]
    return SelectionLogits(rows, await selector.scores(asked.text, pairs))


def _how(knowledge: Knowledge, answered: bool) -> str:
    """Return how the answer was made, for its note."""
    how = QUOTED if answered else NO_SUPPORT
    return how.replace(_NOT_ASKED, _ASKED_TO_SEARCH) if knowledge.usage.calls else how


@dataclass(frozen=True, slots=True)
class _Quotation:
    """A quoted span, its wording in the answer, and its odds relative to those of the best quotation."""

    place: SourceSpan
    text: str
    score: float


@dataclass(slots=True)
class _Piece:
    """Candidates from ``first`` to ``last``, quoted together, and the best score among them."""

    first: int
    last: int
    score: float


def _chosen(
    pool: Sequence[SentenceCandidate],
    scores: NDArray[np.float64],
    words: NDArray[np.float64],
    linked: NDArray[np.bool_],
    greatest_gap: float,
) -> list[_Quotation]:
    """Select the best sentence and up to two complementary ones, each with the context that makes it readable.

    Adjacent sentences are quoted as one piece.
    """
    quotes: list[_Piece] = []
    left = np.array([not candidate.is_repeated for candidate in pool], dtype=np.bool_)
    covered, in_passage, is_linked = np.zeros(words.shape[1]), np.zeros(len(pool)), np.zeros(len(pool), dtype=np.bool_)
    adds, best = scores.copy(), scores[left].max(initial=-np.inf)
    added = 0
    while left.any() and added < MOST_QUOTED:
        place = int(np.argmax(np.where(left, adds, -np.inf)))
        gap = float(best - adds[place])
        if gap > greatest_gap:
            break
        left[place] = False
        # If the context is quoted already, the sentence is quoted alone.
        ways = (_readable(place, pool), (place, place))
        readable = next((way for way in ways if not any(_overlap(way, quote, pool) for quote in quotes)), None)
        if readable is None:
            continue
        added += 1
        _quote(readable, float(np.exp(-max(0.0, gap))), quotes, pool)
        covered = np.maximum(covered, words[place])
        in_passage += [candidate.passage is pool[place].passage for candidate in pool]
        is_linked |= linked[place]
        more = MORE_OF_THE_QUESTION * np.maximum(words - covered, 0).sum(axis=1)
        adds = scores + more + LINKED * is_linked - SAME_PASSAGE * in_passage
    return [_quotation(pool[quote.first : quote.last + 1], quote.score) for quote in quotes]


def _quote(readable: tuple[int, int], score: float, quotes: list[_Piece], pool: Sequence[SentenceCandidate]) -> None:
    """Extend the quotation that the candidates adjoin, or add a new one."""
    first, last = readable
    for quote in quotes:
        if first == quote.last + 1 and _are_one(quote.last, first, quote.first, last, pool):
            quote.last = last
            return
        if last + 1 == quote.first and _are_one(last, quote.first, first, quote.last, pool):
            quote.first = first
            return
    quotes.append(_Piece(first, last, score))


def _are_one(before: int, after: int, first: int, last: int, pool: Sequence[SentenceCandidate]) -> bool:
    """Return whether two candidates are adjacent, and ``first`` to ``last`` is short enough for one piece."""
    return _follows(pool[before], pool[after]) and _fits(pool[first], pool[last])


def _overlap(readable: tuple[int, int], quote: _Piece, pool: Sequence[SentenceCandidate]) -> bool:
    first, last = (pool[place].place for place in readable)
    other_first, other_last = pool[quote.first].place, pool[quote.last].place
    return first.document_id == other_first.document_id and (
        first.span.start < other_last.span.end and other_first.span.start < last.span.end
    )


def _readable(place: int, pool: Sequence[SentenceCandidate]) -> tuple[int, int]:
    """Return the first and last candidate of a readable quotation: with the antecedent and the announced list items."""
    own = pool[place]
    first = last = place
    words = WORD.findall(own.place.quote.lower()[:40])
    if place and words and words[0] in PRONOUNS and _follows(pool[place - 1], own):
        first = place - 1
    announced = _announcing(place, pool)
    if announced is not None and _fits(pool[announced], own):
        first = announced
    if own.place.quote.rstrip().endswith(ANNOUNCES):
        while last + 1 < len(pool) and _belongs(own, pool[last], pool[last + 1]):
            last += 1
    return first, last


def _belongs(announcing: SentenceCandidate, before: SentenceCandidate, candidate: SentenceCandidate) -> bool:
    """Return whether a candidate is announced: it follows the colon directly, or is a further item of the list."""
    is_announced = before is announcing or (before.sentence.is_item and candidate.sentence.is_item)
    return is_announced and _follows(before, candidate) and _fits(announcing, candidate)


def _announcing(place: int, pool: Sequence[SentenceCandidate]) -> int | None:
    """Return the sentence that announces the list of this item; None if it is not an item, or nothing announces it."""
    first = place
    while first and pool[first].sentence.is_item and _follows(pool[first - 1], pool[first]):
        first -= 1
    return first if first < place and pool[first].place.quote.rstrip().endswith(ANNOUNCES) else None


def _fits(first: SentenceCandidate, last: SentenceCandidate) -> bool:
    return last.place.span.end - first.place.span.start <= _LONGEST_WITH_CONTEXT


def _follows(first: SentenceCandidate, second: SentenceCandidate) -> bool:
    """Return whether a sentence directly follows another, with only white space in between."""
    if first.passage is not second.passage:
        return False
    origin = first.passage.span.start
    between = first.passage.quote[first.place.span.end - origin : second.place.span.start - origin]
    return first.place.span.end <= second.place.span.start and not between.strip()


def _quotation(parts: Sequence[SentenceCandidate], score: float) -> _Quotation:
    """Quote consecutive sentences of a passage; a row of a Markdown table is written out with its column
    names."""
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
    """Format a span for quotation: prose on one line, code with its lines.

    A document's own ``[2]`` becomes ``(2)``, because it is not a citation of the answer.
    """
    parts: list[str] = []
    end = 0
    for code in code_blocks(place.quote):
        parts += [normal_text(place.quote[end : code.start]), _shown_code(place.quote[code.start : code.end])]
        end = code.end
    parts.append(normal_text(place.quote[end:]))
    return without_markers(" ".join(filter(None, parts)))


def _shown_code(block: str) -> str:
    """Format a code block: a single line inline, several lines on their own."""
    lines = without_fences(block)
    return lines.strip() if "\n" not in lines else f"\n{lines}\n"
