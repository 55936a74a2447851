"""nDCG@k: how high the gold passages rank among the first k retrieved."""

from polyadic.evaluation.measures.ranking import of_passages
from polyadic.evaluation.outcome import QuestionOutcome


class NDCG:
    """Normalized discounted cumulative gain of the first k passages, 0 to 1; a gold passage has gain 1.

    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, computed by ``ir_measures``; BEIR reports nDCG@10.
    """

    best = 1.0

    def __init__(self, k: int) -> None:
        self.k = k
        self.name = f"ndcg@{k}"

    def score(self, outcome: QuestionOutcome) -> float | None:
        return of_passages(f"nDCG@{self.k}", outcome)
