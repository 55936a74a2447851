"""Means by question group."""

import numpy as np

from polyadic.evaluation.breakdown import breakdowns
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.score_table import ScoreColumn, ScoreTable


def scored(*arities: int) -> tuple[list[DatasetQuestion], ScoreTable]:
    """Questions of these arities, whose score is their position."""
    questions = [DatasetQuestion(f"q{n}", "?", (), frozenset(), arity=arity) for n, arity in enumerate(arities)]
    values = np.arange(len(arities), dtype=np.float64).reshape(1, -1, 1)
    return questions, ScoreTable((ScoreColumn("f1", 100.0),), values, np.zeros((1, 1), dtype=np.int64))


def test_n_ary_questions_are_pooled() -> None:
    (one,) = breakdowns(*scored(2, 3, 5, 2))
    assert one.by == "arity"
    assert dict(zip(one.groups, one.sizes, strict=True)) == {"2": 2, "3": 1, "5": 1, "n-ary (3 or more)": 2}
    assert one.means[:, 0, 0].tolist() == [1.5, 1.0, 2.0, 1.5]


def test_breakdown_by_arity_does_not_depend_on_the_number_of_arities() -> None:
    (many,) = breakdowns(*scored(*range(2, 30)))
    assert many.groups == ("2", "3", "4", "5", "6", "7", "8", "9", "10 or more", "n-ary (3 or more)")
    assert many.sizes == (1, 1, 1, 1, 1, 1, 1, 1, 20, 27)
    (binary,) = breakdowns(*scored(2, 2))
    assert binary.groups == ("2",)
    assert breakdowns(*scored(0, 0)) == []
