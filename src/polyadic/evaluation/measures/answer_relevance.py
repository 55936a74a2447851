"""A-Rel: how much of the question is in the generated answer."""

from polyadic.evaluation.measures.token_sets import covered, token_set
from polyadic.evaluation.outcome import QuestionOutcome


class AnswerRelevance:
    """|T(Q) ∩ T(P)| / |T(Q)| in percent: T a text's set of tokens, Q the question, P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). No judge: RAGAS's measure of the same name is
    another. An answer that repeats its question scores high, one in a word scores low, right or not.
    """

    name = "a-rel"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return covered(token_set(outcome.question.text), token_set(outcome.answer))
