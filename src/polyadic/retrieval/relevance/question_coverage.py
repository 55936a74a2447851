"""How much of a question sentences cover: word by word, and all at once."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.relevance.question_features import QuestionFeatures
from polyadic.retrieval.relevance.sentence_features import Read, share, word_weights

RARE_COVERAGE = ("rare_in_sentence", "rare_in_context", "rare_in_passage", "unknown_words")


def asked_words(asked: QuestionFeatures, read: Sequence[Read]) -> NDArray[np.float64]:
    """Which content words of the question each sentence has, shape (sentences, words).

    Each word by how much it tells, as a share of all, so that a row sums to the sentence's coverage, in [0, 1].
    """
    weights = word_weights(asked, read)
    whole = sum(weights.values()) or 1.0
    rows = [[weight / whole * (word in one.fact_stems) for word, weight in weights.items()] for one in read]
    return np.array(rows, dtype=np.float64).reshape(len(read), len(weights))


def rare_coverage(read: Sequence[Read], rarity: Mapping[str, float], unknown: frozenset[str]) -> NDArray[np.float64]:
    """How much of the question is held at once, its words weighed by how rare they are in all documents.

    Parameters
    ----------
    read
        The sentences.
    rarity
        Of each content word of the question.
    unknown
        Those that no passage of the workspace holds.

    Returns
    -------
    numpy.ndarray
        Shape (4,), in the order of ``RARE_COVERAGE``, each in [0, 1]: the highest share that one sentence holds, one
        with the headings above it, one passage, and the share of words that are unknown.
    """
    passages: dict[int, frozenset[str]] = {}
    for one in read:
        held = passages.get(one.sentence.passage, frozenset())
        passages[one.sentence.passage] = held | one.fact_stems | one.context
    return np.array(
        [
            max((share(rarity, one.fact_stems) for one in read), default=0.0),
            max((share(rarity, one.fact_stems | one.context) for one in read), default=0.0),
            max((share(rarity, held) for held in passages.values()), default=0.0),
            len(unknown) / max(1, len(rarity)),
        ]
    )
