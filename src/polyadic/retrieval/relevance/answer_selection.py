"""Combine the logits of a cross-encoder, and what sentences lack, with what words and vectors tell about the best.

The cross-encoder judges only the few sentences that score best without it. ``python -m benchmarks.learn_selection``
trains the weights.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.relevance.linear_model import LinearModel, learned
from polyadic.retrieval.relevance.question_features import QuestionFeatures
from polyadic.retrieval.relevance.required_values import LACKING

MOST_JUDGED = 6
SELECTION_COLUMNS = ("score x nameless", "score x named", "logit x nameless", "logit x named", *LACKING)
SELECTION_FEATURES = (
    "odds x nameless",
    "odds x named",
    "best",
    "highest",
    "second",
    "nameless",
    "best x nameless",
    "highest x nameless",
    *LACKING,
)
_FILE = "selection"


@dataclass(frozen=True, slots=True)
class SelectionLogits:
    """The log-odds that sentences answer a question: ``logits``, shape (judged,), of the sentences ``rows``."""

    rows: NDArray[np.int64]
    logits: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SelectionSignals:
    """What is known of the sentences beside their features.

    ``lacks``, shape (sentences, 2), is what each lacks of what the question requires (required_values.lacking).
    ``logits`` is None where no cross-encoder judged the best.
    """

    lacks: NDArray[np.float64]
    logits: SelectionLogits | None = None


def to_judge(
    scores: NDArray[np.float64], is_repeated: NDArray[np.bool_], lacks: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the indices of the sentences to judge: those with the required value first, of these the best by score.

    Repeated sentences are not judged.

    >>> to_judge(np.array([0.5, 2.0, 1.0]), np.array([False, True, False]), np.zeros((3, 2))).tolist()
    [2, 0]
    >>> to_judge(np.array([0.5, 2.0]), np.zeros(2, bool), np.array([[0.0, 0.0], [1.0, 0.0]])).tolist()
    [0, 1]
    """
    order = np.lexsort((-scores, lacks[:, 0]))
    return np.asarray(order[~is_repeated[order]][:MOST_JUDGED], dtype=np.int64)


def selection_columns(
    asked: QuestionFeatures, scores: NDArray[np.float64], logits: SelectionLogits, lacks: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the columns of which the score is made, shape (sentences, columns), in the order of SELECTION_COLUMNS.

    Logits are relative to the highest; a sentence that was not judged counts as the one with the lowest. Scores and
    logits have one column for questions that name nothing, and one for those that do.
    """
    relative = np.full(len(scores), logits.logits.min())
    relative[logits.rows] = logits.logits
    relative -= logits.logits.max()
    names = np.array([asked.is_nameless, not asked.is_nameless], dtype=np.float64)
    return np.hstack([np.outer(scores, names), np.outer(relative, names), lacks])


def combined_scores(
    asked: QuestionFeatures, scores: NDArray[np.float64], signals: SelectionSignals
) -> NDArray[np.float64]:
    """Return the scores with what is known beside, shape (sentences,); without logits, only what is lacking counts."""
    weights = learned(_FILE)["score"]
    if signals.logits is None:
        return scores + LinearModel.named(weights, LACKING).scores(signals.lacks)
    columns = selection_columns(asked, scores, signals.logits, signals.lacks)
    return LinearModel.named(weights, SELECTION_COLUMNS).scores(columns)


def selection_features(
    asked: QuestionFeatures,
    scores: NDArray[np.float64],
    logits: SelectionLogits,
    lacks: NDArray[np.float64],
    log_odds: float,
) -> NDArray[np.float64]:
    """Return the features for deciding whether any sentence answers, shape (selection features,).

    ``scores`` are the combined ones: the logit of the best of them counts, what it lacks, and the highest two logits.
    ``log_odds`` are those without the logits.
    """
    best = logits.logits[np.argmax(scores[logits.rows])]
    highest = np.sort(logits.logits)[::-1]
    second = highest[min(1, len(highest) - 1)]
    nameless = float(asked.is_nameless)
    odds = [log_odds * nameless, log_odds * (1 - nameless)]
    judged = [best, highest[0], second, nameless, best * nameless, highest[0] * nameless]
    return np.array([*odds, *judged, *lacks[np.argmax(scores)]])


def combined_log_odds(
    part: str, asked: QuestionFeatures, scores: NDArray[np.float64], signals: SelectionSignals, log_odds: float
) -> float:
    """Return the log-odds of ``support`` or ``confidence`` with what is known beside.

    Without logits, only what the best sentence lacks counts.
    """
    weights = learned(_FILE)[part]
    if signals.logits is None:
        lacks = signals.lacks[[np.argmax(scores)]]
        return log_odds + float(LinearModel.named(weights, LACKING).scores(lacks)[0])
    features = selection_features(asked, scores, signals.logits, signals.lacks, log_odds)
    return float(LinearModel.named(weights, SELECTION_FEATURES, weights["bias"]).scores(features[None, :])[0])


def least_support() -> float:
    """Return the probability of support below which a question is refused, with the logits."""
    return learned(_FILE)["support"]["least"]
