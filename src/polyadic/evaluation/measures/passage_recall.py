"""recall@k: the share of gold passages among the first k retrieved."""

from polyadic.evaluation.measures.ranking import of_passages
from polyadic.evaluation.outcome import QuestionOutcome


class PassageRecall:
    """Share of the gold passages among the first k, 0 to 1.

    Source: R@k of trec_eval, computed by ``ir_measures``; HippoRAG reports recall@2 and recall@5.
    """

    best = 1.0

    def __init__(self, k: int) -> None:
        self.k = k
        self.name = f"recall@{k}"

    def score(self, outcome: QuestionOutcome) -> float | None:
        return of_passages(f"R@{self.k}", outcome)
