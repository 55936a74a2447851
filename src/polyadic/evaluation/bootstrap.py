"""Bootstrap confidence intervals of means over questions."""

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
    """Compute the percentile bootstrap interval (Efron 1979) of a mean by resampling with replacement.

    >>> str(interval([1.0, 1.0, 1.0]))
    '1.000 [1.000, 1.000]'
    """
    sample = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(sample), (_RESAMPLES, len(sample)))
    low, high = np.percentile(sample[drawn].mean(axis=1), [2.5, 97.5])
    return Interval(float(sample.mean()), float(low), float(high))


def intervals(values: NDArray[np.float64], seed: int = 0) -> list[Interval | None]:
    """Compute the interval of each row, ignoring NaN; None for a row without values.

    The results equal those of :func:`interval` up to rounding. Rows with equally many values share their resamples,
    which is much faster for many rows.

    >>> intervals(np.array([[1.0, 0.0, np.nan], [np.nan] * 3]))[1] is None
    True
    """
    results: list[Interval | None] = [None] * len(values)
    present = ~np.isnan(values)
    sizes = present.sum(axis=1)
    for size in sorted({*sizes.tolist()} - {0}):
        rows = np.flatnonzero(sizes == size)
        samples = values[rows][present[rows]].reshape(len(rows), size)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            chunk = samples[start : start + _ROWS_AT_ONCE]
            bounds = np.percentile(chunk @ _resample_counts(size, seed) / size, [2.5, 97.5], axis=1)
            for row, mean, low, high in zip(rows[start:], chunk.mean(axis=1), *bounds, strict=False):
                results[row] = Interval(float(mean), float(low), float(high))
    return results


@lru_cache(maxsize=4)
def _resample_counts(size: int, seed: int) -> NDArray[np.float32]:
    """Return how often each value is drawn in each resample, shape (size, resamples)."""
    drawn = np.random.default_rng(seed).integers(0, size, (_RESAMPLES, size))
    places = drawn + size * np.arange(_RESAMPLES)[:, None]
    counts = np.bincount(places.ravel(), minlength=size * _RESAMPLES)
    return counts.reshape(_RESAMPLES, size).T.astype(np.float32)
