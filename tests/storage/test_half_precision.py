"""Vectors are rounded once, and are then the same wherever they are read."""

import numpy as np

from polyadic.storage.sql.half_precision import HALF, kept, rounded, widened
from tests.support.vectors import vector


def test_every_float16_widens_exactly() -> None:
    every = np.arange(2**16, dtype="<u2").view(HALF).reshape(256, 256)
    finite = np.isfinite(every)
    assert np.array_equal(widened(every)[finite], every[finite].astype(np.float32))
    assert np.array_equal(np.signbit(widened(every)), np.signbit(every))


def test_partial_widening_equals_full_widening() -> None:
    halves = rounded(np.random.default_rng(0).standard_normal((9, 7)).astype(np.float32))
    assert np.array_equal(widened(halves[::2]), widened(halves)[::2])
    assert widened(halves[:0]).shape == (0, 7)


def test_stored_vectors_equal_the_rounded_ones() -> None:
    one, other = vector("Ada"), vector("Babbage")
    halves = rounded(np.stack([one, other]))
    rows = [row.tobytes() for row in halves]
    assert [len(row) for row in rows] == [2 * len(one)] * 2
    assert np.array_equal(kept(rows, len(one)), halves)
    np.testing.assert_allclose(widened(halves), np.stack([one, other]), atol=3e-4)
    assert np.array_equal(rounded(widened(halves)), halves)
