"""F1: word overlap of an answer and a gold answer."""

from collections import Counter

from polyadic.evaluation.measures.answer_normalization import normalized
from polyadic.evaluation.outcome import QuestionOutcome


class F1:
    """Harmonic mean of word precision and recall in percent, for the best of several gold answers.

    Source: HyperGraphRAG v3 (arXiv 2503.21322v3), with SQuAD's normalization. The paper's formula uses sets of words,
    but its code counts repeated words (multisets), and so does this one.
    """

    name = "f1"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        golds = outcome.question.answers
        if outcome.answer is None or not golds:
            return None
        return 100 * max(word_f1(outcome.answer, gold) for gold in golds)


def word_f1(answer: str, gold: str) -> float:
    """Compute the F1 of two texts, 0 to 1.

    >>> word_f1("the first first program", "first program")
    0.8
    """
    answer_words, gold_words = Counter(normalized(answer).split()), Counter(normalized(gold).split())
    shared = (answer_words & gold_words).total()
    return 2 * shared / (answer_words.total() + gold_words.total()) if shared else 0.0
