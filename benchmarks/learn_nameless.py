"""Learn what differs for questions that name nothing: ``python -m benchmarks.learn_nameless FOLDER``.

Who asks without naming anything ("When does the lease end?") often uses other words than the documents. The weights
that ``benchmarks.learn_ranking`` wrote stay as they are and decide alone on every other question; to them are added
those of the columns and features "x nameless", learned from the same question sets and the small collections for
development. FOLDER keeps the filled workspaces. ``python -m benchmarks.small test`` tests what was learned.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from benchmarks.learn_ranking import (
    MOST_WRONGLY_REFUSED,
    Floats,
    Judged,
    Labelled,
    counts,
    first_right,
    judge,
    labelled_sentences,
    logistic,
    shares,
    softmax,
    write_weights,
)
from benchmarks.question_sets import RECORDED, SMALL, question_sets, unanswerable_sets
from benchmarks.report_sections import given_folder
from polyadic.retrieval.relevance.answer_confidence import CONFIDENCE_FEATURES, GENERAL_FEATURES
from polyadic.retrieval.relevance.linear_model import learned
from polyadic.retrieval.relevance.sentence_features import COLUMNS, GENERAL_COLUMNS

_NAMELESS = CONFIDENCE_FEATURES.index("nameless")


def main() -> None:
    with given_folder() as folder, ExitStack() as stack:
        sets = {name: askings for name, askings in question_sets(folder, stack) if name != RECORDED}
        sets |= dict(unanswerable_sets(sets))
        learn({name: [labelled_sentences(asking) for asking in askings] for name, askings in sets.items()})


def learn(asked: Mapping[str, Sequence[Labelled]]) -> None:
    """Learn from the sentences of each question, by question set; print what changes, and write the weights."""
    written = learned("sentences")
    general = np.array([written["score"].get(name, 0.0) for name in GENERAL_COLUMNS])
    score = np.concatenate([general, softmax(asked, given=general)])
    judged = {name: judge(rows, score) for name, rows in asked.items()}
    least = written["support"]["least"]
    before = np.array([written["support"].get(name, 0.0) for name in (*GENERAL_FEATURES, "bias")])
    support = _support(judged, before, least)
    for name, rows in asked.items():
        target = judged[name].is_answerable
        was = _log_odds(judged[name].first_features(len(GENERAL_FEATURES)), before) < _logit(least)
        now = _log_odds(judged[name], support) < _logit(least)
        print(f"{name}: refused {shares(was, target)} -> {shares(now, target)}", flush=True)
        if target.any():
            only_general = [one.first_columns(len(GENERAL_COLUMNS)) for one in rows]
            print(f"{name}: right {first_right(only_general, general)} -> {first_right(rows, score)}", flush=True)
    parts = {
        "score": dict(zip(COLUMNS, score.tolist(), strict=True)),
        "support": dict(zip((*CONFIDENCE_FEATURES, "bias"), support.tolist(), strict=True)) | {"least": least},
        "confidence": written["confidence"],
    }
    write_weights("sentences", parts, "learn_nameless")


def _support(judged: Mapping[str, Judged], before: Floats, least: float) -> Floats:
    """Weights with the bias last, so that few answerable questions that name nothing fall below the threshold.

    The small collections do not decide how many: many of their questions look like unanswerable ones.
    """
    which = {name: rows.features[:, _NAMELESS] > 0 for name, rows in judged.items()}
    is_nameless = np.concatenate(list(which.values()))
    nameless = {name: rows.only(which[name]) for name, rows in judged.items()}
    target = np.concatenate([rows.is_answerable for rows in nameless.values()])
    weights = counts(judged)[is_nameless]
    weights *= np.where(target, weights[~target].sum() / weights[target].sum(), 1.0)
    general = {name: rows.first_features(len(GENERAL_FEATURES)) for name, rows in nameless.items()}
    offset = np.concatenate([_log_odds(rows, before) for rows in general.values()])
    added = logistic(general, target, weights, offset)
    support = np.concatenate([before[:-1], [added[-1]], added[:-1], before[-1:]])
    larger = [_log_odds(rows, support)[rows.is_answerable] for name, rows in nameless.items() if name not in SMALL]
    support[_NAMELESS] += _logit(least) - np.quantile(np.concatenate(larger), MOST_WRONGLY_REFUSED)
    return support


def _log_odds(rows: Judged, model: Floats) -> Floats:
    return np.asarray(rows.features @ model[:-1] + model[-1])


def _logit(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


if __name__ == "__main__":
    main()
