"""A-Rel: the share of the question's tokens that occur in the generated answer."""

from polyadic.evaluation.measures.token_sets import covered, token_set
from polyadic.evaluation.outcome import QuestionOutcome


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
