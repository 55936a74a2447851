"""Learn what small workspaces change in answers without a model: ``python -m benchmarks.small.learn``.

The weights for large workspaces come from ``python -m benchmarks.learn_ranking``. On top of them, corrections are
learned: of the score of sentences, of *support* and of *confidence*. A correction counts as much as the workspace is
small (:func:`polyadic.retrieval.relevance.linear_model.smallness`). The questions are those of the small collections
for development, asked of each collection alone and of all together, and multi-hop questions, asked of a small part of
their corpus, with and without the passages that answer them. Prints what is right and what is refused without
corrections, with corrections learned on all other collections, and as written.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.data import load
from benchmarks.learn_ranking import (
    MULTI_HOP,
    Asking,
    Floats,
    Labelled,
    as_asking,
    gold_asking,
    judged_questions,
    labelled_sentences,
    named_weights,
    write_weights,
)
from benchmarks.ordinary.questions import Split
from benchmarks.small.collections import small_collections
from polyadic.config import ReadingSettings
from polyadic.evaluation.datasets import Dataset, corpus_id
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document
from polyadic.retrieval.relevance.answer_confidence import CONFIDENCE_FEATURES, CONFIDENCE_IN_THE_BEST
from polyadic.retrieval.relevance.linear_model import LinearModel, learned, smallness
from polyadic.retrieval.relevance.sentence_features import COLUMNS
from polyadic.workspace import Workspace

SCORE_PENALTY, SUPPORT_PENALTY, CONFIDENCE_PENALTY = 10.0, 2.0, 5.0
# More than in large workspaces: whoever has few documents knows them, and asks in other words than theirs.
MOST_WRONGLY_REFUSED = 0.15
# Questions about one small part of a multi-hop corpus.
GROUP = 10
_IN_SMALL = "{} in small workspaces"
# Nearly all collections are in English: what tells languages apart cannot be learned from them.
_OF_LANGUAGE = ("english", "unspaced")
_SCORE = [place for place, name in enumerate(COLUMNS) if not name.endswith(_OF_LANGUAGE)]
_SUPPORT = [place for place, name in enumerate(CONFIDENCE_FEATURES) if not name.endswith(_OF_LANGUAGE)]
_CONFIDENCE = [CONFIDENCE_FEATURES.index(name) for name in CONFIDENCE_IN_THE_BEST]


@dataclass(frozen=True, slots=True)
class SmallQuestion:
    """A question, the collection that it is about, and how small the workspace is, in [0, 1].

    ``kind`` is "alone", "together" or "multi-hop".
    """

    kind: str
    collection: str
    small: float
    rows: Labelled

    @property
    def is_answerable(self) -> bool:
        return self.rows.asking.is_answerable


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections of weights: of the score, shape (columns,), of support and confidence with the bias last."""

    score: Floats
    support: Floats
    confidence: Floats


@dataclass(frozen=True, slots=True)
class _Judged:
    """Questions with features of shape (questions, features), whether they are answerable, and answered right."""

    features: Floats
    small: Floats
    is_answerable: NDArray[np.bool_]
    is_right: NDArray[np.bool_]


NONE = Corrections(
    np.zeros(len(COLUMNS)), np.zeros(len(CONFIDENCE_FEATURES) + 1), np.zeros(len(CONFIDENCE_FEATURES) + 1)
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        questions = list(_questions(Path(folder)))
    names = sorted({one.collection for one in questions})
    elsewhere = {name: _learned([one for one in questions if one.collection != name]) for name in names}
    written = _learned(questions)
    for kind in ("alone", "together", "multi-hop"):
        chosen = [one for one in questions if one.kind == kind]
        for label, corrections in (
            ("none", dict.fromkeys(names, NONE)),
            ("learned elsewhere", elsewhere),
            ("as written", dict.fromkeys(names, written)),
        ):
            print(f"{kind}, {label}: {_outcome(chosen, corrections)}")
    parts = {
        _IN_SMALL.format("score"): dict(zip(COLUMNS, written.score.tolist(), strict=True)),
        _IN_SMALL.format("support"): named_weights(written.support),
        _IN_SMALL.format("confidence"): named_weights(written.confidence),
    }
    write_weights("sentences", dict(learned("sentences")) | parts)


def _questions(folder: Path) -> Iterator[SmallQuestion]:
    collections = list(small_collections(Split.DEVELOPMENT))
    for collection in collections:
        with collection.workspace(folder) as workspace:
            yield from _asked("alone", collection.name, map(as_asking, collection.questions), workspace)
    with Workspace(folder / "together") as together:
        together.index([folder / collection.name / "documents" for collection in collections])
        for collection in collections:
            yield from _asked("together", collection.name, map(as_asking, collection.questions), together)
    for name in MULTI_HOP:
        yield from _multi_hop(load(name), folder)


def _multi_hop(dataset: Dataset, folder: Path) -> Iterator[SmallQuestion]:
    """Ask questions in groups, each with its gold passages and as many others, and the questions of the next group."""
    random = np.random.default_rng(0)
    passages = [one for one in read_documents([dataset.corpus], ReadingSettings()) if isinstance(one, Document)]
    groups = [dataset.questions[start : start + GROUP] for start in range(0, len(dataset.questions) - GROUP + 1, GROUP)]
    for place, (group, following) in enumerate(zip(groups, [*groups[1:], groups[0]], strict=True)):
        gold = frozenset[str]().union(*(question.gold for question in group))
        asked = gold.union(*(question.gold for question in following))
        others = [one for one in passages if corpus_id(one.source) not in asked]
        chosen = [others[row] for row in random.choice(len(others), len(gold), replace=False)]
        name = f"{dataset.name} {place}"
        with Workspace(folder / name.replace(" ", "-")) as workspace:
            workspace.add([*(one for one in passages if corpus_id(one.source) in gold), *chosen])
            unanswerable = [replace(gold_asking(one), is_answerable=False, in_a_sentence=_never) for one in following]
            yield from _asked("multi-hop", name, [*map(gold_asking, group), *unanswerable], workspace)


def _never(_: str) -> bool:
    return False


def _asked(kind: str, name: str, askings: Iterable[Asking], workspace: Workspace) -> Iterator[SmallQuestion]:
    with workspace._store.read() as reader:
        small = smallness(reader.size("chunk"))
    for asking in askings:
        rows = labelled_sentences(workspace, asking)
        if len(rows.features):
            yield SmallQuestion(kind, name, small, rows)


def _learned(questions: Sequence[SmallQuestion]) -> Corrections:
    score = _score_correction(questions)
    judged = _judged(questions, score)
    least = learned("sentences")["support"]["least"]
    # What tells an unanswerable question differs most in the smallest workspaces.
    alone = _only(judged, np.array([one.kind == "alone" for one in questions]))
    support = _logistic(alone, "support", alone.is_answerable, _SUPPORT, SUPPORT_PENALTY)
    limit = float(np.log(least / (1 - least)))
    answerable = _only(alone, alone.is_answerable)
    log_odds = _log_odds(answerable, "support", support)
    lowest = np.argsort(log_odds)[int(MOST_WRONGLY_REFUSED * len(log_odds))]
    support[-1] += (limit - log_odds[lowest]) / answerable.small[lowest]
    answered = _only(judged, _log_odds(judged, "support", support) >= limit)
    confidence = _logistic(answered, "confidence", answered.is_right, _CONFIDENCE, CONFIDENCE_PENALTY)
    return Corrections(score, support, confidence)


def _score_correction(questions: Sequence[SmallQuestion]) -> Floats:
    """Learn a correction by softmax regression: what is right is to have the highest share of the odds."""
    known = [one for one in questions if one.rows.right.any() and not one.rows.right.all()]
    large = LinearModel.named(learned("sentences")["score"], COLUMNS)
    scale = np.concatenate([one.rows.features for one in known]).std(axis=0) + 1e-3
    prepared = [
        (one.small * (one.rows.features / scale)[:, _SCORE], large.scores(one.rows.features), one.rows.right)
        for one in known
    ]

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = SCORE_PENALTY * float(weights @ weights) / 2, SCORE_PENALTY * weights
        for rows, large_scores, right in prepared:
            scores = large_scores + rows @ weights
            odds = np.exp(scores - scores.max())
            odds /= odds.sum()
            held = float(odds[right].sum()) + 1e-12
            total -= np.log(held)
            gradient = gradient - rows.T @ (odds * right / held - odds)
        return total, gradient

    found = minimize(loss, np.zeros(len(_SCORE)), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    correction = np.zeros(len(COLUMNS))
    correction[_SCORE] = found.x / scale[_SCORE]
    return correction


def _judged(questions: Sequence[SmallQuestion], score: Floats) -> _Judged:
    large = LinearModel.named(learned("sentences")["score"], COLUMNS).weights
    parts = [judged_questions([one.rows], large + one.small * score) for one in questions]
    return _Judged(
        np.concatenate([one.features for one in parts]),
        np.array([one.small for one in questions]),
        np.concatenate([one.is_answerable for one in parts]),
        np.concatenate([one.is_right for one in parts]),
    )


def _only(judged: _Judged, which: NDArray[np.bool_]) -> _Judged:
    return replace(
        judged,
        features=judged.features[which],
        small=judged.small[which],
        is_answerable=judged.is_answerable[which],
        is_right=judged.is_right[which],
    )


def _large_log_odds(judged: _Judged, part: str) -> Floats:
    weights = learned("sentences")[part]
    return LinearModel.named(weights, CONFIDENCE_FEATURES, weights["bias"]).scores(judged.features)


def _log_odds(judged: _Judged, part: str, correction: Floats) -> Floats:
    added = judged.features @ correction[:-1] + correction[-1]
    return np.asarray(_large_log_odds(judged, part) + judged.small * added)


def _logistic(judged: _Judged, part: str, target: NDArray[np.bool_], columns: Sequence[int], penalty: float) -> Floats:
    """Learn a correction with the bias last; all that is true weighs as much as all that is not."""
    large = _large_log_odds(judged, part)
    features = judged.features[:, columns]
    scale = np.append(features.std(axis=0) + 1e-3, 1.0)
    rows = judged.small[:, None] * np.append(features, np.ones((len(features), 1)), axis=1) / scale
    signs = np.where(target, 1.0, -1.0)
    counts = np.where(target, 1.0, target.sum() / (~target).sum() if part == "support" else 1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (large + rows @ weights)
        shrunk = np.append(weights[:-1], 0.0) * penalty
        gradient = shrunk - rows.T @ (counts * signs / (1 + np.exp(np.clip(margins, -30, 30))))
        return float(counts @ np.logaddexp(0, -margins) + weights @ shrunk / 2), gradient

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B").x / scale
    correction = np.zeros(len(CONFIDENCE_FEATURES) + 1)
    correction[[*columns, -1]] = found
    return correction


def _outcome(questions: Sequence[SmallQuestion], corrections: dict[str, Corrections]) -> str:
    least = learned("sentences")["support"]["least"]
    limit = float(np.log(least / (1 - least)))
    right, refused, probable = [], [], []
    for one in questions:
        own = corrections[one.collection]
        judged = _judged([one], own.score)
        right.append(bool(judged.is_right[0]))
        refused.append(bool(_log_odds(judged, "support", own.support)[0] < limit))
        probable.append(float(1 / (1 + np.exp(-_log_odds(judged, "confidence", own.confidence)[0]))))
    answerable = np.array([one.is_answerable for one in questions])
    answered = ~np.array(refused)
    return (
        f"best sentence right {np.array(right)[answerable].mean():.3f}; first quotation right"
        f" {(np.array(right) & answered)[answerable].mean():.3f}; refused wrongly"
        f" {np.array(refused)[answerable].mean():.3f}, rightly {np.array(refused)[~answerable].mean():.3f}; of what is"
        f" answered {np.array(right)[answered].mean():.3f} right, confidence {np.array(probable)[answered].mean():.3f}"
    )


if __name__ == "__main__":
    main()
