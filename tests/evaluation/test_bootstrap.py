"""Bootstrap intervals of a mean."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.evaluation.bootstrap import interval
from tests.support.examples import examples


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
@settings(max_examples=examples(25), deadline=None)
def test_interval_contains_the_mean_and_stays_within_the_values(values: list[float]) -> None:
    found = interval(values)
    assert found.mean == pytest.approx(sum(values) / len(values))
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert interval(values) == found, "the same values have the same interval"


def test_interval_width_matches_theory() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, 400).tolist()
    found = interval(values)
    assert found.low < 0.5 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.1 / math.sqrt(400), rel=0.15)


def test_more_questions_narrow_the_interval() -> None:
    few, many = interval([0.0, 1.0] * 10), interval([0.0, 1.0] * 200)
    assert many.high - many.low < few.high - few.low


def test_interval_is_shown_with_three_decimals() -> None:
    assert str(interval([0.25] * 4)) == "0.250 [0.250, 0.250]"
