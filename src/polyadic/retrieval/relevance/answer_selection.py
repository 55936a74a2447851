"""Combine the logits of a cross-encoder with what words and vectors tell about the best sentences.

The cross-encoder judges only the few sentences that score best without it. ``python -m benchmarks.learn_selection``
trains the weights.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.relevance.linear_model import LinearModel, learned
from polyadic.retrieval.relevance.question_features import QuestionFeatures

MOST_JUDGED = 6
SELECTION_COLUMNS = ("logit x nameless", "logit x named")
SELECTION_FEATURES = ("best", "highest", "second", "nameless", "best x nameless", "highest x nameless")
_FILE = "selection"


@dataclass(frozen=True, slots=True)
class SelectionLogits:
    """The log-odds that sentences answer a question: ``logits``, shape (judged,), of the sentences ``rows``."""

    rows: NDArray[np.int64]
    logits: NDArray[np.float64]


def to_judge(scores: NDArray[np.float64], is_repeated: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the indices of the sentences to judge, best first: the best by score that are not repeated.

    >>> to_judge(np.array([0.5, 2.0, 1.0]), np.array([False, True, False])).tolist()
    [2, 0]
    """
    order = np.argsort(-scores, kind="stable")
    return order[~is_repeated[order]][:MOST_JUDGED]


def selection_columns(asked: QuestionFeatures, judged: SelectionLogits, sentences: int) -> NDArray[np.float64]:
    """Return the columns that are added to the score, shape (sentences, 2).

    Logits are relative to the highest; a sentence that was not judged counts as the one with the lowest. The columns
    are those of questions that name nothing, and of those that do.
    """
    logits = np.full(sentences, judged.logits.min())
    logits[judged.rows] = judged.logits
    logits -= judged.logits.max()
    return np.column_stack([logits * float(asked.is_nameless), logits * float(not asked.is_nameless)])


def combined_scores(
    asked: QuestionFeatures, scores: NDArray[np.float64], judged: SelectionLogits
) -> NDArray[np.float64]:
    """Return the scores with the weighted logits added, shape (sentences,)."""
    model = LinearModel.named(learned(_FILE)["score"], SELECTION_COLUMNS)
    return scores + model.scores(selection_columns(asked, judged, len(scores)))


def selection_features(
    asked: QuestionFeatures, judged: SelectionLogits, scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the features for deciding whether any sentence answers, shape (selection features,).

    ``scores`` are the combined ones: the logit of the best of them counts, and the highest two logits.
    """
    best = judged.logits[np.argmax(scores[judged.rows])]
    highest = np.sort(judged.logits)[::-1]
    second = highest[min(1, len(highest) - 1)]
    nameless = float(asked.is_nameless)
    return np.array([best, highest[0], second, nameless, best * nameless, highest[0] * nameless])


def added_log_odds(part: str, asked: QuestionFeatures, judged: SelectionLogits, scores: NDArray[np.float64]) -> float:
    """Return what the logits add to the log-odds of ``support`` or ``confidence``."""
    weights = learned(_FILE)[part]
    model = LinearModel.named(weights, SELECTION_FEATURES, weights["bias"])
    return float(model.scores(selection_features(asked, judged, scores)[None, :])[0])


def least_support() -> float:
    """Return the probability of support below which a question is refused, with the logits."""
    return learned(_FILE)["support"]["least"]
