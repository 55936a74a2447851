"""EM and F1: whether an answer equals a gold answer, and their overlap in words, both normalized as in SQuAD."""

import re
import string
from collections import Counter

from polyadic.evaluation.question_record import QuestionOutcome

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Lowercase a text, remove ASCII punctuation and English articles, and collapse white space.

    Source: the official evaluation script of SQuAD (Rajpurkar et al., EMNLP 2016). Text without spaces, such as
    Chinese, stays one word.

    >>> normalized("The  Analytical Engine, (1837)!")
    'analytical engine 1837'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


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
