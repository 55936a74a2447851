"""Learn the weights of ``polyadic.retrieval.relevance``: ``python -m benchmarks.learn_ranking [FOLDER]``.

Two linear models are learned by softmax regression over what competes for one question: passages (retrieval/fusion.py)
and sentences (retrieval/relevance/sentence_features.py); and how confident to be
(retrieval/relevance/answer_confidence.py) by logistic regression over
questions with and without an answer. The question sets are those for development; no held-out kind of document is
among them. For each set it prints what is right with weights that were learned on all others, and with those that are
written. FOLDER keeps the filled workspaces. Run ``python -m benchmarks.learn_nameless FOLDER`` afterwards, which adds
what differs for questions that name nothing.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import polyadic.retrieval.relevance
from benchmarks.question_sets import RECORDED, SMALL, Asking, question_sets, unanswerable_sets
from benchmarks.report_sections import given_folder
from polyadic.config import Settings
from polyadic.generation.sentence_candidates import SentenceCandidate, candidates, rarity
from polyadic.retrieval.fusion import PASSAGE_FEATURES, QUESTION_FEATURES, passage_features, question_features
from polyadic.retrieval.methods.auto import signals
from polyadic.retrieval.methods.walk import Walk
from polyadic.retrieval.relevance.answer_confidence import (
    CONFIDENCE_IN_THE_BEST,
    GENERAL_FEATURES,
    confidence_features,
)
from polyadic.retrieval.relevance.linear_model import learned
from polyadic.retrieval.relevance.question_coverage import rare_coverage
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.retrieval.relevance.sentence_features import GENERAL_COLUMNS, read_sentences, sentence_features
from polyadic.retrieval.trace import Trace

Floats = NDArray[np.float64]
WEIGHTS = Path(polyadic.retrieval.relevance.__file__).parent / "weights"
QUESTIONS_A_SET = 100.0
PENALTY, CONFIDENCE_PENALTY = 20.0, 3.0
MOST_WRONGLY_REFUSED = 0.02
ORDINARY = 4.0


@dataclass(frozen=True, slots=True)
class Labelled:
    """What competes for one question: features, shape (rows, columns), and which rows are right.

    ``rare`` is how much of the question the sentences hold at once (rare_coverage), and ``candidates`` are the
    sentences; both are empty for passages.
    """

    features: Floats
    right: NDArray[np.bool_]
    asking: Asking
    rare: Floats
    candidates: Sequence[SentenceCandidate] = ()

    def first_columns(self, most: int) -> "Labelled":
        return replace(self, features=self.features[:, :most])


@dataclass(frozen=True, slots=True)
class Judged:
    """Questions: confidence features, shape (questions, features), and what is true of each."""

    features: Floats
    is_answerable: NDArray[np.bool_]
    is_right: NDArray[np.bool_]

    def first_features(self, most: int) -> "Judged":
        return replace(self, features=self.features[:, :most])

    def only(self, which: NDArray[np.bool_]) -> "Judged":
        return Judged(self.features[which], self.is_answerable[which], self.is_right[which])


Examples = Mapping[str, Sequence[Labelled]]
_Rows = TypeVar("_Rows")


def main() -> None:
    with given_folder() as folder, ExitStack() as stack:
        sets = {name: askings for name, askings in question_sets(folder, stack) if name not in SMALL}
        _learn_passages({name: [_passages(asking) for asking in askings] for name, askings in sets.items()})
        learned.cache_clear()
        del sets[RECORDED]
        answerless = dict(unanswerable_sets(sets))
        asked = {
            name: [labelled_sentences(asking).first_columns(len(GENERAL_COLUMNS)) for asking in askings]
            for name, askings in (sets | answerless).items()
        }
        _learn_sentences({name: asked[name] for name in sets}, asked)


def _passages(asking: Asking) -> Labelled:
    """The passages that a walk gathers; features of passages times those of the question, flattened."""
    with asking.workspace._store.read() as reader:
        outcome = asyncio.run(Walk(Settings().walk).run(asking.text, reader, asking.workspace.embedder, Trace()))
        found = signals(asking.text, outcome, reader)
        places = reader.chunk_places(outcome.end.graph.chunks)
    rows = passage_features(found)[:, :, None] * question_features(found)[None, None, :]
    right = np.array([asking.holds(place) for place in places], dtype=np.bool_)
    return Labelled(rows.reshape(len(rows), -1), right, asking, np.zeros(0))


def labelled_sentences(asking: Asking) -> Labelled:
    """The sentences of the passages that ``auto`` finds."""
    knowledge = asking.workspace.retrieve(asking.text, "auto")
    # As it was read: with its misspelled words corrected.
    asking = replace(asking, text=knowledge.question)
    asked = read_asked(asking.text)
    with asking.workspace._store.read() as reader:
        found = asyncio.run(candidates(knowledge, asked, reader, asking.workspace.embedder))
        rare, unknown = rarity(asked, reader)
    read = read_sentences(asked, [candidate.sentence for candidate in found])
    right = np.array([asking.in_a_sentence(candidate.place.quote) for candidate in found], dtype=np.bool_)
    return Labelled(sentence_features(asked, read), right, asking, rare_coverage(read, rare, unknown), found)


def _learn_passages(sets: Examples) -> None:
    for name, rows in sets.items():
        apart, together = softmax(elsewhere(name, sets), spread=True), softmax(sets, spread=True)
        print(
            f"passages, {name}: learned elsewhere {first_right(rows, apart)}, as written {first_right(rows, together)}",
            flush=True,
        )
    weights = softmax(sets, spread=True).reshape(len(PASSAGE_FEATURES), len(QUESTION_FEATURES))
    table = {
        row: dict(zip(QUESTION_FEATURES, values, strict=True))
        for row, values in zip(PASSAGE_FEATURES, weights.tolist(), strict=True)
    }
    write_weights("passages", table)


def _learn_sentences(sets: Examples, with_foreign: Examples) -> None:
    for name, rows in sets.items():
        apart, together = softmax(elsewhere(name, sets)), softmax(sets)
        print(
            f"sentences, {name}: learned elsewhere {first_right(rows, apart)}, "
            f"as written {first_right(rows, together)}",
            flush=True,
        )
    weights = softmax(sets)
    judged = {name: judge(rows, weights).first_features(len(GENERAL_FEATURES)) for name, rows in with_foreign.items()}
    support, least = _support(judged)
    for name, one in judged.items():
        refused = shares(_refused(one, *_support(elsewhere(name, judged))), one.is_answerable)
        written = shares(_refused(one, support, least), one.is_answerable)
        print(f"refused, {name}: learned elsewhere {refused}; as written {written}", flush=True)
    answered = {name: judged[name].only(~_refused(judged[name], support, least)) for name in sets}
    confidence = _confidence(answered)
    for name, one in answered.items():
        apart = _probable(one.features, _confidence(elsewhere(name, answered)))
        line = f"learned elsewhere {apart.mean():.3f}, as written {_probable(one.features, confidence).mean():.3f}"
        print(f"confidence, {name}: right {one.is_right.mean():.3f}, {line}", flush=True)
    parts = {
        "score": dict(zip(GENERAL_COLUMNS, weights.tolist(), strict=True)),
        "support": _named(support) | {"least": least},
        "confidence": _named(confidence),
    }
    write_weights("sentences", parts)


def _named(model: Floats) -> dict[str, float]:
    return dict(zip((*GENERAL_FEATURES, "bias"), model.tolist(), strict=True))


def elsewhere(name: str, sets: Mapping[str, _Rows]) -> dict[str, _Rows]:
    """The sets that share neither questions nor documents with this one."""
    return {other: rows for other, rows in sets.items() if not _parts(name) & _parts(other)}


def _parts(name: str) -> set[str]:
    """The data sets that the name of a question set speaks of.

    >>> sorted(_parts("2wiki-101 asked of hotpotqa-100 hashing"))
    ['2wiki-101', 'hotpotqa-100']
    """
    return {part.split()[0] for part in name.split(" asked of ")}


def softmax(sets: Examples, spread: bool = False, given: Floats | None = None) -> Floats:
    """Weights under which what is right has the highest share of the odds.

    With ``spread`` each right row is to have its part of them, since all gold passages are needed; else any will do.
    The weights of the first columns may be ``given``; then those of the others are learned and returned.
    """
    questions = [(one.features, one.right, QUESTIONS_A_SET / len(rows)) for rows in sets.values() for one in rows]
    questions = [(features, right, weight) for features, right, weight in questions if right.any() and not right.all()]
    sizes = [len(right) for _, right, _ in questions]
    starts = np.cumsum([0, *sizes[:-1]])
    right = np.concatenate([right for _, right, _ in questions])
    weight = np.array([weight for _, _, weight in questions])
    features = np.concatenate([features for features, _, _ in questions])
    fixed = len(given) if given is not None else 0
    offset = features[:, :fixed] @ given if given is not None else np.zeros(len(features))
    scale = features[:, fixed:].std(axis=0) + 1e-3
    rows = features[:, fixed:] / scale
    equal = right / np.repeat(np.add.reduceat(right.astype(np.float64), starts), sizes)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = rows @ weights + offset
        odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        odds /= np.repeat(np.add.reduceat(odds, starts), sizes)
        held = np.add.reduceat(odds * right, starts) + 1e-12
        target = equal if spread else odds * right / np.repeat(held, sizes)
        log_likelihood = np.add.reduceat(equal * np.log(odds + 1e-12), starts) if spread else np.log(held)
        gradient = PENALTY * weights - rows.T @ ((target - odds) * np.repeat(weight, sizes))
        return PENALTY * float(weights @ weights) / 2 - float(weight @ log_likelihood), gradient

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(found.x / scale)


def first_right(rows: Sequence[Labelled], weights: Floats) -> str:
    """The share of answerable questions of which the first, or one of the first three, is right."""
    answerable = [one for one in rows if one.asking.is_answerable]
    ranked = [one.right[np.argsort(-(one.features @ weights), kind="stable")] for one in answerable]
    return " / ".join(f"{np.mean([right[:most].any() for right in ranked]):.3f}" for most in (1, 3, 5))


def judge(rows: Sequence[Labelled], weights: Floats) -> Judged:
    found = [one for one in rows if len(one.features)]
    scores = [one.features @ weights for one in found]
    features = [
        confidence_features(read_asked(one.asking.text), one.features, own, one.rare)
        for one, own in zip(found, scores, strict=True)
    ]
    answerable = [one.asking.is_answerable for one in found]
    right = [bool(one.right[np.argmax(own)]) for one, own in zip(found, scores, strict=True)]
    return Judged(np.array(features), np.array(answerable, dtype=np.bool_), np.array(right, dtype=np.bool_))


def _support(sets: Mapping[str, Judged]) -> tuple[Floats, float]:
    """Weights with the bias last, and the threshold that few answerable questions miss.

    All that is answerable weighs as much as all that is not.
    """
    target = np.concatenate([rows.is_answerable for rows in sets.values()])
    weights = counts(sets)
    model = logistic(sets, target, weights * np.where(target, weights[~target].sum() / weights[target].sum(), 1.0))
    probable = np.concatenate([_probable(rows.features, model) for rows in sets.values()])[target]
    order = np.argsort(probable)
    missed = np.cumsum(weights[target][order]) / weights[target].sum()
    return model, float(probable[order][np.searchsorted(missed, MOST_WRONGLY_REFUSED)])


def _confidence(sets: Mapping[str, Judged]) -> Floats:
    """Weights with the bias last, under which probabilities are as often right as they say."""
    columns = [GENERAL_FEATURES.index(name) for name in CONFIDENCE_IN_THE_BEST]
    known = {name: replace(rows, features=rows.features[:, columns]) for name, rows in sets.items()}
    few = logistic(known, np.concatenate([rows.is_right for rows in sets.values()]), counts(sets))
    weights = np.zeros(len(GENERAL_FEATURES) + 1)
    weights[[*columns, -1]] = few
    return weights


def counts(sets: Mapping[str, Judged]) -> Floats:
    """How much each question counts: sets count alike, but for those on ordinary documents, which count more."""
    return np.concatenate(
        [
            np.full(
                len(rows.features),
                QUESTIONS_A_SET * (ORDINARY if name.startswith("ordinary") else 1) / len(rows.features),
            )
            for name, rows in sets.items()
        ]
    )


def logistic(
    sets: Mapping[str, Judged], target: NDArray[np.bool_], importance: Floats, offset: Floats | None = None
) -> Floats:
    """Weights with the bias last; ``offset`` is added to the log-odds of each question."""
    features = np.concatenate([rows.features for rows in sets.values()])
    added = np.zeros(len(features)) if offset is None else offset
    scale = np.append(features.std(axis=0) + 1e-3, 1.0)
    rows = np.append(features, np.ones((len(features), 1)), axis=1) / scale
    signs = np.where(target, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (rows @ weights + added)
        missing = 1 / (1 + np.exp(np.clip(margins, -30, 30)))
        penalty = np.append(weights[:-1], 0.0) * CONFIDENCE_PENALTY
        total = float(importance @ np.logaddexp(0, -margins) + weights @ penalty / 2)
        return total, penalty - rows.T @ (importance * signs * missing)

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B")
    return np.asarray(found.x / scale)


def _probable(features: Floats, model: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(features @ model[:-1] + model[-1]))))


def _refused(rows: Judged, support: Floats, least: float) -> NDArray[np.bool_]:
    return np.asarray(_probable(rows.features, support) < least)


def shares(refused: NDArray[np.bool_], answerable: NDArray[np.bool_]) -> str:
    wrongly = f"wrongly {refused[answerable].mean():.3f}" if answerable.any() else ""
    rightly = f"rightly {refused[~answerable].mean():.3f}" if (~answerable).any() else ""
    return ", ".join(filter(None, (wrongly, rightly)))


def write_weights(name: str, weights: Mapping[str, Mapping[str, float]], *further: str) -> None:
    """Write weights with the names of the commands that made them: this one, and ``further`` ones."""
    rounded = {part: {key: float(f"{value:.4g}") for key, value in values.items()} for part, values in weights.items()}
    commands = ", ".join(f"python -m benchmarks.{one}" for one in ("learn_ranking", *further))
    content = {"made by": commands, "weights": rounded}
    (WEIGHTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
