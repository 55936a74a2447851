"""Scores by question, method and measure, with means and intervals, and differences of systems paired by question."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.bootstrap import Interval, intervals
from polyadic.evaluation.measures.judge import replies
from polyadic.evaluation.measures.measure import EmbeddingMeasure, JudgedMeasure, JudgedScore, Measure
from polyadic.evaluation.measures.registry import AnyMeasure
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.evaluation.systems import System
from polyadic.llm.cached_model import CachedModel

Outcomes = Sequence[Sequence[QuestionOutcome | None]]
"""Outcomes by method and question; None if missing."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A measure, or a part such as ``g-e: correctness``; ``best`` is the score of a perfect outcome."""

    name: str
    best: float


@dataclass(frozen=True)
class ScoreTable:
    """Scores ``values[m, q, c]`` by method, question and column; NaN if a measure does not apply.

    ``unreadable[m, c]`` counts the judge's replies without a judgement.
    """

    columns: tuple[ScoreColumn, ...]
    values: NDArray[np.float64]
    unreadable: NDArray[np.int64]
    seed: int = 0

    @cached_property
    def intervals(self) -> list[list[Interval | None]]:
        """Means over questions with intervals, by method and column; None if a measure applies to no question."""
        methods, questions, columns = self.values.shape
        rows = self.values.transpose(0, 2, 1).reshape(methods * columns, questions)
        intervals_by_row: list[Interval | None] = intervals(rows, self.seed) if questions else [None] * len(rows)
        return [intervals_by_row[method * columns : (method + 1) * columns] for method in range(methods)]

    def applies(self, column: int) -> bool:
        """Whether a column has any scores or unreadable judgements."""
        return not np.isnan(self.values[:, :, column]).all() or bool(self.unreadable[:, column].any())

    def means(self, questions: Sequence[int]) -> NDArray[np.float64]:
        """Compute means over the questions with these indices: shape (methods, columns), NaN without scores."""
        selected = self.values[:, list(questions), :]
        present = ~np.isnan(selected)
        counts = present.sum(axis=1)
        sums = np.where(present, selected, 0.0).sum(axis=1)
        return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class JudgeModel:
    """The judging model and its number of concurrent requests."""

    model: CachedModel
    at_once: int

    async def replies(self, measure: JudgedMeasure, outcomes: Sequence[QuestionOutcome]) -> list[JudgedScore]:
        """Judge each outcome; raises the errors of ``judge_requests.replies``."""
        requests_by_outcome = [measure.requests(outcome) for outcome in outcomes]
        reply_texts = iter(
            await replies(
                self.model, [r for requests in requests_by_outcome for r in requests], measure.is_readable, self.at_once
            )
        )
        return [
            measure.read(outcome, [next(reply_texts) for _ in requests]) if requests else JudgedScore(None)
            for outcome, requests in zip(outcomes, requests_by_outcome, strict=True)
        ]


async def scored(
    outcomes: Outcomes, measures: Sequence[AnyMeasure], judge: Callable[[], JudgeModel], seed: int = 0
) -> ScoreTable:
    """Score all outcomes by all measures.

    Parameters
    ----------
    outcomes
        Outcomes by method, for the same questions.
    measures
        Measures to apply. Parts of judged measures get their own columns after all measures.
    judge
        Called only if a measure needs a judge.
    seed
        Seed for the intervals.
    """
    flat = [outcome for row in outcomes for outcome in row if outcome is not None]
    columns, parts, unreadable = list[_ColumnScores](), list[_ColumnScores](), dict[str, list[int]]()
    for measure in measures:
        if isinstance(measure, Measure):
            columns.append(
                _ColumnScores(ScoreColumn(measure.name, measure.best), [measure.score(outcome) for outcome in flat])
            )
        elif isinstance(measure, EmbeddingMeasure):
            columns.append(_ColumnScores(ScoreColumn(measure.name, measure.best), await measure.scores(flat)))
        else:
            judged = await judge().replies(measure, flat)
            columns.append(
                _ColumnScores(ScoreColumn(measure.name, measure.best), [judgement.score for judgement in judged])
            )
            parts += _parts(measure, judged)
            unreadable[measure.name] = [judgement.unreadable for judgement in judged]
    return _table(outcomes, [*columns, *parts], unreadable, seed)


@dataclass(frozen=True, slots=True)
class _ColumnScores:
    column: ScoreColumn
    scores: list[float | None]


def _parts(measure: JudgedMeasure, judged: Sequence[JudgedScore]) -> list[_ColumnScores]:
    names = next(([part.name for part in judgement.parts] for judgement in judged if judgement.parts), [])
    by_name = [{part.name: part.score for part in judgement.parts} for judgement in judged]
    return [
        _ColumnScores(
            ScoreColumn(f"{measure.name}: {name.replace('_', ' ')}", measure.best),
            [judgement.get(name) for judgement in by_name],
        )
        for name in names
    ]


def _table(
    outcomes: Outcomes, scored_columns: Sequence[_ColumnScores], unreadable: dict[str, list[int]], seed: int
) -> ScoreTable:
    columns = tuple(scored_column.column for scored_column in scored_columns)
    present = np.array([[outcome is not None for outcome in row] for row in outcomes], dtype=bool)
    methods, questions = present.shape if present.ndim == 2 else (len(outcomes), 0)
    values = np.full((methods, questions, len(columns)), np.nan)
    counts = np.zeros((methods, questions, len(columns)), dtype=np.int64)
    for place, scored_column in enumerate(scored_columns):
        if questions:
            values[:, :, place][present] = [np.nan if score is None else score for score in scored_column.scores]
            if scored_column.column.name in unreadable:
                counts[:, :, place][present] = unreadable[scored_column.column.name]
    return ScoreTable(columns, values, counts.sum(axis=1), seed)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean differences of one system from another (by name), over the questions that both have a score for.

    ``intervals`` has one entry per column of the scores; None without such a question.
    """

    system: str
    other: str
    intervals: tuple[Interval | None, ...]


def differences(systems: Sequence[System], scores: ScoreTable) -> Iterator[PairedDifference]:
    """Compare each variant with its method, and each other method with the first one.

    Parameters
    ----------
    systems
        The systems, in the order of the scores.
    scores
        Scores by system, question and column.
    """
    places = {system.name: place for place, system in enumerate(systems)}
    for place, system in enumerate(systems):
        other = places[system.method] if system.changes else 0
        if other != place:
            paired = (scores.values[place] - scores.values[other]).T
            found = intervals(paired, scores.seed) if paired.shape[1] else [None] * len(paired)
            yield PairedDifference(system.name, systems[other].name, tuple(found))
