"""Learn how much the cross-encoder for sentences counts: ``python -m benchmarks.learn_selection FOLDER``.

The weights that ``benchmarks.learn_ranking`` and ``benchmarks.learn_nameless`` wrote stay as they are. Added to them
are weights of the logits of the few best sentences, and of what sentences lack of what the question requires
(retrieval/relevance/answer_selection.py): for the score of a sentence, whether to answer, and the confidence. Where
there is no cross-encoder, only what sentences lack is added. The weights are learned from the English question sets for
development. For each set it prints what is right and refused with weights that were learned on all others. FOLDER keeps
the filled workspaces.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.learn_ranking import (
    Floats,
    Judged,
    Labelled,
    counts,
    elsewhere,
    first_right,
    labelled_sentences,
    logistic,
    shares,
    softmax,
    write_weights,
)
from benchmarks.question_sets import MULTI_HOP, SMALL, Asking, question_sets, unanswerable_sets
from benchmarks.report_sections import given_folder
from polyadic.config import EmbeddingSettings
from polyadic.generation.extractive_answerer import select
from polyadic.rerankers.loading import load_pair_scorer
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from polyadic.retrieval.relevance.answer_confidence import confidence_features, log_odds
from polyadic.retrieval.relevance.answer_selection import (
    SELECTION_COLUMNS,
    SELECTION_FEATURES,
    SelectionLogits,
    selection_columns,
    selection_features,
)
from polyadic.retrieval.relevance.linear_model import LinearModel, learned
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.retrieval.relevance.sentence_features import COLUMNS

SETS = (*MULTI_HOP, "ordinary-shared", "ordinary-debian", *SMALL)
# How many answerable questions may be refused: of those that name something, and of the others. The small collections
# count for the latter only, because most of their questions name nothing.
MOST_NAMED_REFUSED, MOST_NAMELESS_REFUSED = 0.03, 0.02
_SCORE_ALONE = np.array([float(name.startswith("score")) for name in SELECTION_COLUMNS])
_OF_ODDS = 2
_NAMELESS = SELECTION_FEATURES.index("nameless")
_MADE_BY = "learn_nameless", "learn_selection"


@dataclass(frozen=True, slots=True)
class Selected:
    """A question with its sentences, their scores without the cross-encoder, and what is known beside."""

    labelled: Labelled
    scores: Floats
    logits: SelectionLogits
    lacks: Floats

    @property
    def columns(self) -> Labelled:
        """The columns of which the score is made, as the features of the sentences."""
        asked = read_asked(self.labelled.asking.text)
        return replace(self.labelled, features=selection_columns(asked, self.scores, self.logits, self.lacks))


@dataclass(frozen=True, slots=True)
class Decisions:
    """Questions, with the features for deciding whether to answer (``support``) and how sure to be."""

    support: Judged
    confidence: Judged

    def only(self, which: NDArray[np.bool_]) -> "Decisions":
        return Decisions(self.support.only(which), self.confidence.only(which))


def main() -> None:
    with given_folder() as folder, ExitStack() as stack:
        selector = load_pair_scorer(ANSWER_SELECTION, EmbeddingSettings())
        sets = dict(question_sets(folder, stack, SETS))
        sets |= dict(unanswerable_sets(sets))
        learn({name: list(_selected(askings, selector)) for name, askings in sets.items()})


def _selected(askings: Sequence[Asking], selector: PairScorer | None) -> Iterator[Selected]:
    model = LinearModel.named(learned("sentences")["score"], COLUMNS)
    for asking in askings:
        labelled = labelled_sentences(asking)
        scores = model.scores(labelled.features)
        signals = asyncio.run(select(read_asked(labelled.asking.text), labelled.candidates, scores, selector))
        if signals.logits is not None:
            yield Selected(labelled, scores, signals.logits, signals.lacks)


def learn(selected: Mapping[str, Sequence[Selected]]) -> None:
    """Learn from the sentences of each question, by question set; print what changes, and write the weights."""
    columns = {name: [one.columns for one in rows] for name, rows in selected.items()}
    score = softmax(columns)
    for name, rows in columns.items():
        if any(one.asking.is_answerable for one in rows):
            before = first_right(rows, _SCORE_ALONE)
            elsewhere_learned = first_right(rows, softmax(elsewhere(name, columns)))
            print(f"right, {name}: {before} -> learned elsewhere {elsewhere_learned}", flush=True)
    decided = {name: _decisions(rows, score) for name, rows in selected.items()}
    judged = {name: one.support for name, one in decided.items()}
    support, least = _support(judged)
    for name, one in judged.items():
        apart = shares(_refused(one, *_support(elsewhere(name, judged))), one.is_answerable)
        written = shares(_refused(one, support, least), one.is_answerable)
        print(f"refused, {name}: learned elsewhere {apart}; as written {written}")
    answered = {name: one.only(~_refused(one.support, support, least)).confidence for name, one in decided.items()}
    confidence = _confidence({name: one for name, one in answered.items() if one.is_answerable.any()})
    for name, one in answered.items():
        probable = 1 / (1 + np.exp(-_log_odds(one, confidence)))
        print(f"confidence, {name}: right {one.is_right.mean():.3f}, as written {probable.mean():.3f}", flush=True)
    parts = {
        "score": dict(zip(SELECTION_COLUMNS, score.tolist(), strict=True)),
        "support": _named(support) | {"least": 1 / (1 + float(np.exp(-least)))},
        "confidence": _named(confidence),
    }
    write_weights("selection", parts, *_MADE_BY)


def _decisions(rows: Sequence[Selected], score: Floats) -> Decisions:
    right: list[bool] = []
    features: dict[str, list[Floats]] = {"support": [], "confidence": []}
    for one in rows:
        asked, labelled = read_asked(one.labelled.asking.text), one.labelled
        combined = one.columns.features @ score
        signals = confidence_features(asked, labelled.features, combined, labelled.rare)
        for part, found in features.items():
            found.append(selection_features(asked, combined, one.logits, one.lacks, log_odds(part, signals)))
        right.append(bool(labelled.right[np.argmax(combined)]))
    answerable = np.array([one.labelled.asking.is_answerable for one in rows], dtype=np.bool_)
    judged = (Judged(np.array(found), answerable, np.array(right, dtype=np.bool_)) for found in features.values())
    return Decisions(*judged)


def _support(judged: Mapping[str, Judged]) -> tuple[Floats, float]:
    """Weights with the bias last, and the log-odds that few answerable questions miss.

    All that is answerable weighs as much as all that is not. The threshold is the same for questions that name
    something and for those that do not; the weight of ``nameless`` is set so that no more of either are missed than may
    be.
    """
    target = np.concatenate([one.is_answerable for one in judged.values()])
    weights = counts(judged)
    weights *= np.where(target, weights[~target].sum() / weights[target].sum(), 1.0)
    support = logistic(judged, target, weights)
    named, nameless = [], []
    for name, one in judged.items():
        is_nameless = one.features[:, _NAMELESS] > 0
        odds = _log_odds(one, support)
        nameless.append(odds[one.is_answerable & is_nameless])
        if name not in SMALL:
            named.append(odds[one.is_answerable & ~is_nameless])
    least = float(np.quantile(np.concatenate(named), MOST_NAMED_REFUSED))
    support[_NAMELESS] += least - np.quantile(np.concatenate(nameless), MOST_NAMELESS_REFUSED)
    return support, least


def _confidence(judged: Mapping[str, Judged]) -> Floats:
    """Weights with the bias last, added to the log-odds without the cross-encoder, which count whole."""
    target = np.concatenate([one.is_right for one in judged.values()])
    offset = np.concatenate([one.features[:, :_OF_ODDS].sum(axis=1) for one in judged.values()])
    others = {name: replace(one, features=one.features[:, _OF_ODDS:]) for name, one in judged.items()}
    return np.concatenate([np.ones(_OF_ODDS), logistic(others, target, counts(others), offset)])


def _refused(judged: Judged, support: Floats, least: float) -> NDArray[np.bool_]:
    return np.asarray(_log_odds(judged, support) < least)


def _log_odds(judged: Judged, weights: Floats) -> Floats:
    return np.asarray(judged.features @ weights[:-1] + weights[-1])


def _named(weights: Floats) -> dict[str, float]:
    return dict(zip((*SELECTION_FEATURES, "bias"), weights.tolist(), strict=True))


if __name__ == "__main__":
    main()
