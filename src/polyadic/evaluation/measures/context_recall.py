"""C-Rec: the share of the gold answer's tokens that occur in the generated answer."""

from polyadic.evaluation.measures.token_sets import most_covered, token_set
from polyadic.evaluation.outcome import QuestionOutcome


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
        return most_covered(map(token_set, outcome.question.answers), token_set(outcome.answer))
