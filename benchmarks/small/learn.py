"""Learn how refusal depends on the size of a workspace: ``python -m benchmarks.small.learn``.

On top of the weights for large workspaces (``python -m benchmarks.learn_ranking``), a correction of them is learned by
logistic regression from the small collections for development. It counts as much as the workspace is small
(:func:`polyadic.retrieval.relevance.answer_confidence.smallness`). Prints what is refused without it, with a correction
learned on all other collections, and as written.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.learn_ranking import (
    Floats,
    as_asking,
    judged_questions,
    labelled_sentences,
    named_weights,
    write_weights,
)
from benchmarks.ordinary.questions import Split
from benchmarks.small.collections import small_collections
from polyadic.retrieval.relevance.answer_confidence import CONFIDENCE_FEATURES, smallness
from polyadic.retrieval.relevance.linear_model import LinearModel, learned
from polyadic.retrieval.relevance.sentence_features import COLUMNS

PART = "support in small workspaces"
PENALTY = 1.0
MOST_WRONGLY_REFUSED = 0.03
# The collections are in English: what tells languages apart cannot be learned from them.
LEARNED = [place for place, name in enumerate(CONFIDENCE_FEATURES) if not name.endswith(("english", "unspaced"))]


@dataclass(frozen=True, slots=True)
class Collected:
    """Questions about one collection.

    ``features`` has shape (questions, features), ``large`` the log-odds in a large workspace, shape (questions,).
    """

    features: Floats
    large: Floats
    small: float
    is_answerable: NDArray[np.bool_]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        collections = _collected(Path(folder))
    least = learned("sentences")["support"]["least"]
    limit = float(np.log(least / (1 - least)))
    without = np.zeros(len(CONFIDENCE_FEATURES) + 1)
    elsewhere = [_correction([other for other in collections if other is not one], limit) for one in collections]
    written = _correction(collections, limit)
    for name, corrections in (
        ("none", [without] * len(collections)),
        ("learned elsewhere", elsewhere),
        ("as written", [written] * len(collections)),
    ):
        print(f"{name}: {_refused(collections, corrections, limit)}")
    parts = dict(learned("sentences"))
    write_weights("sentences", parts | {PART: named_weights(written)})


def _collected(folder: Path) -> list[Collected]:
    scorer = LinearModel.named(learned("sentences")["score"], COLUMNS).weights
    support = learned("sentences")["support"]
    model = LinearModel.named(support, CONFIDENCE_FEATURES, support["bias"])
    found = []
    for collection in small_collections(Split.DEVELOPMENT):
        with collection.workspace(folder) as workspace:
            rows = [labelled_sentences(workspace, as_asking(one)) for one in collection.questions]
            judged = judged_questions(rows, scorer)
            with workspace._store.read() as reader:
                small = smallness(reader.size("chunk"))
        found.append(Collected(judged.features, model.scores(judged.features), small, judged.is_answerable))
    return found


def _log_odds(one: Collected, correction: Floats) -> Floats:
    return np.asarray(one.large + one.small * (one.features @ correction[:-1] + correction[-1]))


def _correction(collections: Sequence[Collected], limit: float) -> Floats:
    """Weights with the bias last, under which few answerable questions fall below the limit."""
    features = np.concatenate([one.features[:, LEARNED] for one in collections])
    large = np.concatenate([one.large for one in collections])
    small = np.concatenate([np.full(len(one.large), one.small) for one in collections])
    answerable = np.concatenate([one.is_answerable for one in collections])
    scale = np.append(features.std(axis=0) + 1e-3, 1.0)
    rows = small[:, None] * np.append(features, np.ones((len(features), 1)), axis=1) / scale
    signs = np.where(answerable, 1.0, -1.0)
    counts = np.where(answerable, 1.0, answerable.sum() / (~answerable).sum())

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (large + rows @ weights)
        penalty = np.append(weights[:-1], 0.0) * PENALTY
        gradient = penalty - rows.T @ (counts * signs / (1 + np.exp(np.clip(margins, -30, 30))))
        return float(counts @ np.logaddexp(0, -margins) + weights @ penalty / 2), gradient

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B").x / scale
    correction = np.zeros(len(CONFIDENCE_FEATURES) + 1)
    correction[[*LEARNED, -1]] = found
    log_odds = np.concatenate([_log_odds(one, correction) for one in collections])[answerable]
    order = np.argsort(log_odds)
    lowest = order[int(MOST_WRONGLY_REFUSED * len(order))]
    correction[-1] += (limit - log_odds[lowest]) / small[answerable][lowest]
    return correction


def _refused(collections: Sequence[Collected], corrections: Sequence[Floats], limit: float) -> str:
    refused = np.concatenate([_log_odds(one, own) < limit for one, own in zip(collections, corrections, strict=True)])
    answerable = np.concatenate([one.is_answerable for one in collections])
    return f"wrongly {refused[answerable].mean():.3f}, rightly {refused[~answerable].mean():.3f}"


if __name__ == "__main__":
    main()
