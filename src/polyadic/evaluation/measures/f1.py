"""F1: how many words an answer and a golden answer share."""

from collections import Counter

from polyadic.evaluation.measures.answer_normalization import normalised
from polyadic.evaluation.outcome import QuestionOutcome


class F1:
    """The harmonic mean of precision and recall of words, in percent; the best of several golden answers.

    Source: HyperGraphRAG v3 (arXiv 2503.21322v3); SQuAD's normalisation. The paper's formula speaks of sets
    of words, its code counts repeated words as often as they occur (multisets), and so does this.
    """

    name = "f1"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        golds = outcome.question.answers
        if outcome.answer is None or not golds:
            return None
        return 100 * max(word_f1(outcome.answer, gold) for gold in golds)


def word_f1(answer: str, gold: str) -> float:
    """F1 of two texts in [0, 1].

    >>> word_f1("the first first program", "first program")
    0.8
    """
    said, wanted = Counter(normalised(answer).split()), Counter(normalised(gold).split())
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total()) if shared else 0.0
