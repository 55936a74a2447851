"""Scores of every question, method and measure, and what they come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.bootstrap import Interval, intervals
from polyadic.evaluation.judge_requests import replies
from polyadic.evaluation.measures.measure import EmbeddingMeasure, JudgedMeasure, JudgedScore, Measure
from polyadic.evaluation.measures.registry import AnyMeasure
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.llm.cached_model import CachedModel

Outcomes = Sequence[Sequence[QuestionOutcome | None]]
"""By method and question; None where there is none."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A measure, or a part of one, such as ``g-e: correctness``; ``best`` is the score of a perfect outcome."""

    name: str
    best: float


@dataclass(frozen=True)
class ScoreTable:
    """``values[m, q, c]``: methods by questions by columns; NaN where a measure does not apply.

    ``unreadable[m, c]`` counts the judge's replies without a judgement.
    """

    columns: tuple[ScoreColumn, ...]
    values: NDArray[np.float64]
    unreadable: NDArray[np.int64]
    seed: int = 0

    @cached_property
    def intervals(self) -> list[list[Interval | None]]:
        """The mean over questions by method and column, with its interval; None where a measure applies to nothing."""
        methods, questions, columns = self.values.shape
        rows = self.values.transpose(0, 2, 1).reshape(methods * columns, questions)
        found: list[Interval | None] = intervals(rows, self.seed) if questions else [None] * len(rows)
        return [found[method * columns : (method + 1) * columns] for method in range(methods)]

    def applies(self, column: int) -> bool:
        """Whether a column says anything of any question; that judgements could not be read counts."""
        return not np.isnan(self.values[:, :, column]).all() or bool(self.unreadable[:, column].any())

    def means(self, questions: Sequence[int]) -> NDArray[np.float64]:
        """Means over some of the questions, by their places: shape (methods, columns), NaN where there is none."""
        some = self.values[:, list(questions), :]
        present = ~np.isnan(some)
        counts = present.sum(axis=1)
        sums = np.where(present, some, 0.0).sum(axis=1)
        return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class JudgeModel:
    """The model that judges, and how many of its replies are awaited at once."""

    model: CachedModel
    at_once: int

    async def replies(self, measure: JudgedMeasure, outcomes: Sequence[QuestionOutcome]) -> list[JudgedScore]:
        """The judgement of each outcome; raises as ``judging.replies`` does."""
        asked = [measure.requests(outcome) for outcome in outcomes]
        said = iter(await replies(self.model, [r for one in asked for r in one], measure.is_readable, self.at_once))
        return [
            measure.read(outcome, [next(said) for _ in one]) if one else JudgedScore(None)
            for outcome, one in zip(outcomes, asked, strict=True)
        ]


async def scored(
    outcomes: Outcomes, measures: Sequence[AnyMeasure], judge: Callable[[], JudgeModel], seed: int = 0
) -> ScoreTable:
    """Score all outcomes by all measures.

    Parameters
    ----------
    outcomes
        As many questions for each method.
    measures
        Judged ones may have parts, which get columns of their own behind all measures.
    judge
        Called only where a measure needs one.
    seed
        For the intervals.
    """
    flat = [outcome for row in outcomes for outcome in row if outcome is not None]
    columns, parts, unreadable = list[_Scored](), list[_Scored](), dict[str, list[int]]()
    for measure in measures:
        if isinstance(measure, Measure):
            columns.append(_Scored(ScoreColumn(measure.name, measure.best), [measure.score(one) for one in flat]))
        elif isinstance(measure, EmbeddingMeasure):
            columns.append(_Scored(ScoreColumn(measure.name, measure.best), await measure.scores(flat)))
        else:
            judged = await judge().replies(measure, flat)
            columns.append(_Scored(ScoreColumn(measure.name, measure.best), [one.score for one in judged]))
            parts += _parts(measure, judged)
            unreadable[measure.name] = [one.unreadable for one in judged]
    return _table(outcomes, [*columns, *parts], unreadable, seed)


@dataclass(frozen=True, slots=True)
class _Scored:
    column: ScoreColumn
    scores: list[float | None]


def _parts(measure: JudgedMeasure, judged: Sequence[JudgedScore]) -> list[_Scored]:
    names = next(([part.name for part in one.parts] for one in judged if one.parts), [])
    by_name = [{part.name: part.score for part in one.parts} for one in judged]
    return [
        _Scored(
            ScoreColumn(f"{measure.name}: {name.replace('_', ' ')}", measure.best), [one.get(name) for one in by_name]
        )
        for name in names
    ]


def _table(
    outcomes: Outcomes, scored_columns: Sequence[_Scored], unreadable: dict[str, list[int]], seed: int
) -> ScoreTable:
    columns = tuple(one.column for one in scored_columns)
    present = np.array([[outcome is not None for outcome in row] for row in outcomes], dtype=bool)
    methods, questions = present.shape if present.ndim == 2 else (len(outcomes), 0)
    values = np.full((methods, questions, len(columns)), np.nan)
    counts = np.zeros((methods, questions, len(columns)), dtype=np.int64)
    for place, one in enumerate(scored_columns):
        if questions:
            values[:, :, place][present] = [np.nan if score is None else score for score in one.scores]
            if one.column.name in unreadable:
                counts[:, :, place][present] = unreadable[one.column.name]
    return ScoreTable(columns, values, counts.sum(axis=1), seed)
