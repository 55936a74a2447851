"""How far a mean over questions can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 10_000
_ROWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def interval(values: Sequence[float], seed: int = 0) -> Interval:
    """The percentile bootstrap (Efron 1979) of the mean: resample the questions with replacement.

    >>> str(interval([1.0, 1.0, 1.0]))
    '1.000 [1.000, 1.000]'
    """
    sample = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(sample), (_RESAMPLES, len(sample)))
    low, high = np.percentile(sample[drawn].mean(axis=1), [2.5, 97.5])
    return Interval(float(sample.mean()), float(low), float(high))


def intervals(values: NDArray[np.float64], seed: int = 0) -> list[Interval | None]:
    """The interval of each row, of which NaN are left out; None for a row of nothing else.

    The same numbers as :func:`interval` gives, up to rounding, with the same resamples for all rows that have as many
    values: much faster for many rows.

    >>> intervals(np.array([[1.0, 0.0, np.nan], [np.nan] * 3]))[1] is None
    True
    """
    found: list[Interval | None] = [None] * len(values)
    present = ~np.isnan(values)
    sizes = present.sum(axis=1)
    for size in sorted({*sizes.tolist()} - {0}):
        rows = np.flatnonzero(sizes == size)
        samples = values[rows][present[rows]].reshape(len(rows), size)
        for part in range(0, len(rows), _ROWS_AT_ONCE):
            some = samples[part : part + _ROWS_AT_ONCE]
            bounds = np.percentile(some @ _times_drawn(size, seed) / size, [2.5, 97.5], axis=1)
            for row, mean, low, high in zip(rows[part:], some.mean(axis=1), *bounds, strict=False):
                found[row] = Interval(float(mean), float(low), float(high))
    return found


@lru_cache(maxsize=4)
def _times_drawn(size: int, seed: int) -> NDArray[np.float32]:
    """How often each of so many values is drawn in each resample, shape (size, resamples)."""
    drawn = np.random.default_rng(seed).integers(0, size, (_RESAMPLES, size))
    places = drawn + size * np.arange(_RESAMPLES)[:, None]
    counts = np.bincount(places.ravel(), minlength=size * _RESAMPLES)
    return counts.reshape(_RESAMPLES, size).T.astype(np.float32)
