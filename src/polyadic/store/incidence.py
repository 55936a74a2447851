"""Lists of neighbours as two arrays: where those of each row start, and all of them row by row."""

import numpy as np
from numpy.typing import NDArray

from polyadic.store.values import Links

Integers = NDArray[np.int64]


def neighbours(
    starts: Integers, targets: Integers, rows: Integers, limit: int | None = None
) -> tuple[Integers, Integers]:
    """Targets of each row, at most ``limit`` each, and the index into ``rows`` that each belongs to."""
    sizes = starts[rows + 1] - starts[rows]
    if limit is not None:
        sizes = np.minimum(sizes, limit)
    owners = np.repeat(np.arange(len(rows)), sizes)
    offsets = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(targets[starts[rows][owners] + offsets], dtype=np.int64), owners


def links_of(starts: Integers, targets: Integers, rows: Integers, limit: int | None = None) -> Links:
    """The pairs of each row and its targets, at most ``limit`` a row."""
    found, owners = neighbours(starts, targets, rows, limit)
    return Links(rows[owners], found)


def grouped(owners: Integers, rows: int) -> tuple[Integers, Integers]:
    """Starts of each row's group, and the order that brings the groups together."""
    starts = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=rows), out=starts[1:])
    return starts, np.argsort(owners, kind="stable")
