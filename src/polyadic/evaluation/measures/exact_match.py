"""EM: whether an answer equals a gold answer."""

from polyadic.evaluation.measures.answer_normalization import normalized
from polyadic.evaluation.outcome import QuestionOutcome


class ExactMatch:
    """100 if an answer equals any of the gold answers after SQuAD's normalization, else 0.

    Source: Rajpurkar et al., SQuAD (EMNLP 2016).
    """

    name = "em"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        golds = outcome.question.answers
        if outcome.answer is None or not golds:
            return None
        return 100.0 * (normalized(outcome.answer) in map(normalized, golds))
