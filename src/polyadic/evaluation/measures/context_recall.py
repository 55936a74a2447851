"""C-Rec: how much of the golden answer is in the generated one."""

from polyadic.evaluation.measures.token_sets import most_covered, token_set
from polyadic.evaluation.outcome import QuestionOutcome


class ContextRecall:
    """|T(G) ∩ T(P)| / |T(G)| in percent: T a text's set of tokens, G the golden answer, P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). Of several golden answers, the one that is
    covered best. No judge, and nothing of what was retrieved: RAGAS's measure of the same name is another.
    """

    name = "c-rec"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return most_covered(map(token_set, outcome.question.answers), token_set(outcome.answer))
