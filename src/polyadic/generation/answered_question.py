"""Questions that documents ask and answer, as in a list of frequently asked questions.

If a document asks what the user asks, its answer is quoted. An answer that is not understood without its question is
shown with it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polyadic.generation.document_questions import questions_in
from polyadic.generation.quotations import Quotation, fits, follows
from polyadic.generation.sentence_candidates import SentenceCandidate
from polyadic.retrieval.relevance.question_features import QuestionFeatures, read_asked
from polyadic.storage.protocol import Reader
from polyadic.text.answered_questions import without_label
from polyadic.text.dependent_sentences import leans_on_previous
from polyadic.text.language import detect_language
from polyadic.text.markup import plain
from polyadic.text.words import WORD

_VERDICT = re.compile(
    r"\W*(?:yes|no|only|of course|unfortunately|sorry|ja|nein|doch|nur|leider|natürlich"
    r"|sí|si|oui|non|sì|sim|não|nee)\b",
    re.IGNORECASE,
)
# An answer of so few words leaves out what was asked.
_FEW_WORDS = 4
# A longer answer is not quoted as a whole.
_SENTENCES_OF_AN_ANSWER = 3


SAME_QUESTION = 4.0
"""Added to the score of a sentence whose document asks the same: more than words and vectors can make up for."""
ANSWER_FOUND = 0.9
"""Confidence in an answer if its document asks the same."""


def answers_the_same(asked: QuestionFeatures, pool: Sequence[SentenceCandidate]) -> NDArray[np.bool_]:
    """Return which sentences answer a question with exactly the content words of the one asked, shape (sentences,).

    Only short answers count: which sentences of a longer one answer is judged as for other questions.
    """
    content = frozenset(asked.content)
    alike = {one: frozenset(read_asked(one).content) == content for one in {candidate.question for candidate in pool}}
    same = (bool(one.question) and alike[one.question] for one in pool)
    return np.array([is_same and bool(whole_answer(row, pool)) for row, is_same in enumerate(same)], dtype=np.bool_)


def whole_answer(place: int, pool: Sequence[SentenceCandidate]) -> tuple[int, int] | None:
    """Return the first and last sentence of the short answer that contains a sentence; None for a longer one."""
    first = last = place
    while first and _is_one_answer(pool[first - 1], pool[first]):
        first -= 1
    while last + 1 < len(pool) and _is_one_answer(pool[last], pool[last + 1]):
        last += 1
    is_short = last - first < _SENTENCES_OF_AN_ANSWER and fits(pool[first], pool[last])
    return (first, last) if is_short else None


def _is_one_answer(first: SentenceCandidate, second: SentenceCandidate) -> bool:
    return first.question == second.question and follows(first, second)


def with_question(quoted: Quotation, reader: Reader) -> Quotation:
    """Add the question that a quotation answers in its document, if the quotation needs it; remove labels ("A:").

    A quotation needs its question if it begins with "yes" or "no" or leans on the text before, or if it is the first
    sentence of the answer and is very short or repeats no content word of the question.

    Parameters
    ----------
    quoted
        The quotation.
    reader
        Reads the chunk.
    """
    place = quoted.place
    chunk = next(iter(reader.chunk_places(reader.rows("chunk", place.chunk_id, 1))), None)
    if chunk is None:
        return quoted
    questions = questions_in(chunk, reader.records.headings([chunk.chunk_id]).get(chunk.chunk_id, ()))
    own = next((span for span in questions if span.start == place.span.start - chunk.span.start), None)
    if own is None or chunk.quote[own.start : own.end] not in place.quote:
        return quoted
    question = questions[own]
    is_first = next(span for span, answered in questions.items() if answered == question) == own
    answer = without_label(plain(chunk.quote[own.start : own.end]))
    is_needed = question not in quoted.text and _needs(question, answer, is_first, detect_language(chunk.quote))
    return replace(quoted, text=without_label(quoted.text), question=question if is_needed else "")


def each_question_once(quotations: Sequence[Quotation]) -> list[Quotation]:
    """Remove the question from quotations if the one before shows it already."""
    shown: set[tuple[str, str]] = set()
    found: list[Quotation] = []
    for quoted in quotations:
        key = quoted.place.document_id, quoted.question
        found.append(replace(quoted, question="") if key in shown else quoted)
        shown.add(key)
    return found


def _needs(question: str, answer: str, is_first: bool, language: str) -> bool:
    if _VERDICT.match(answer) or leans_on_previous(answer, language):
        return True
    is_short = len(WORD.findall(answer)) <= _FEW_WORDS
    return is_first and (is_short or not read_asked(question).overlap(answer))
