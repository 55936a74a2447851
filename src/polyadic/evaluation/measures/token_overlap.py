"""Overlap measures of HyperGraphRAG v1: C-Rec and C-ERec of an answer with the gold answer, A-Rel with the question."""

import re
from collections.abc import Iterable, Set
from functools import cache
from typing import Any, TypeVar

from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.text.tokens import split_text

T = TypeVar("T")

# The tokenizer encodes at most 200,000 tokens at once, and a character may have up to four.
_PIECE = 50_000
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")


def token_set(text: str) -> frozenset[int]:
    """Return the set of cl100k tokens of a text, in place of GPT-2's vocabulary, which is not bundled.

    As in GPT-2, a word within a text is a different token than the same word at its beginning.

    >>> len(token_set("the same, the same")), len(token_set(""))
    (4, 0)
    """
    encode = _encoding().encode_ordinary
    return frozenset(token for piece in split_text(text, _PIECE) for token in encode(piece))


def capitalized_words(text: str) -> frozenset[str]:
    """Return the words that begin with a capital letter, as written.

    >>> sorted(capitalized_words("The Engine of O'Brien, in 1843"))
    ['Engine', "O'Brien", 'The']
    """
    return frozenset(word for word in _WORD.findall(text) if word[0].isupper())


def covered(wanted: Set[T], given: Set[T]) -> float | None:
    """Return the percentage of ``wanted`` that is in ``given``; None if ``wanted`` is empty.

    >>> covered({1, 2}, {2, 3}), covered(set(), {2})
    (50.0, None)
    """
    return 100 * len(wanted & given) / len(wanted) if wanted else None


def _most_covered(wanted: Iterable[Set[T]], given: Set[T]) -> float | None:
    """Return the percentage of the set that ``given`` covers best; None if there is none or all are empty."""
    return max((share for each in wanted if (share := covered(each, given)) is not None), default=None)


@cache
def _encoding() -> Any:
    # Imported here: loading the vocabulary takes half a second.
    import bpe_openai

    return bpe_openai.get_encoding("cl100k_base")


class ContextRecall:
    """|T(G) ∩ T(P)| / |T(G)| in percent, where T is the token set of a text, G the gold and P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). The best of several gold answers counts. It uses neither a judge
    nor the retrieved context, unlike the RAGAS measure of the same name.
    """

    name = "c-rec"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return _most_covered(map(token_set, outcome.question.answers), token_set(outcome.answer))


class ContextEntityRecall:
    """|E(G) ∩ E(P)| / |E(G)| in percent, where E are capitalized words, G the gold and P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). The best of several gold answers counts; the measure does not apply
    if none has a capitalized word. It differs from the RAGAS measure of the same name.
    """

    name = "c-erec"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return _most_covered(map(capitalized_words, outcome.question.answers), capitalized_words(outcome.answer))


class AnswerRelevance:
    """|T(Q) ∩ T(P)| / |T(Q)| in percent, where T is the token set of a text, Q the question and P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). It uses no judge, unlike the RAGAS measure of the same name. Correct
    or not, an answer that repeats its question scores high, and a one-word answer scores low.
    """

    name = "a-rel"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return covered(token_set(outcome.question.text), token_set(outcome.answer))
