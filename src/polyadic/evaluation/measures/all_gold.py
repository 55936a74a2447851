"""all-gold@k: whether the first k retrieved passages contain all gold passages."""

from polyadic.evaluation.outcome import QuestionOutcome


class AllGold:
    """1 if all gold passages are among the first k, else 0.

    Source: "perfect@k" of fast-graphrag's benchmark. A multi-hop question cannot be answered from fewer passages.
    """

    best = 1.0

    def __init__(self, k: int) -> None:
        self.k = k
        self.name = f"all-gold@{k}"

    def score(self, outcome: QuestionOutcome) -> float | None:
        gold = outcome.question.gold
        return float(gold <= set(outcome.passages[: self.k])) if gold else None
