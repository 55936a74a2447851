"""Lists of neighbours as two arrays: where those of each row start, and all of them row by row."""

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.records import Links

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Digests = NDArray[np.bytes_]
DIGEST_BYTES = 16
DIGEST = f"S{DIGEST_BYTES}"
"""The type of arrays of digests; zeros at the end count as they do in a blob, since all are of one length."""


def neighbours(
    starts: Integers, targets: Integers, rows: Integers, limit: int | None = None
) -> tuple[Integers, Integers]:
    """Targets of each row, at most ``limit`` each, and the index into ``rows`` that each belongs to."""
    places, owners = stretches(starts[rows], starts[rows + 1] - starts[rows], limit)
    return np.asarray(targets[places], dtype=np.int64), owners


def stretches(firsts: Integers, sizes: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
    """All places of stretches that begin at ``firsts``, at most ``limit`` of each, and which stretch each is of."""
    if limit is not None:
        sizes = np.minimum(sizes, limit)
    owners = np.arange(len(firsts)).repeat(sizes)
    # From where a stretch would begin if those before it were as long as they are here.
    origins: Integers = firsts - (np.cumsum(sizes) - sizes)
    return origins[owners] + np.arange(len(owners)), owners


def limited(owners: Integers, limit: int) -> Mask:
    """Which of the pairs of some rows, given row by row, are among the first ``limit`` of their row."""
    firsts = np.searchsorted(owners, owners)
    return np.arange(len(owners)) - firsts < limit


def links_of(starts: Integers, targets: Integers, rows: Integers, limit: int | None = None) -> Links:
    """The pairs of each row and its targets, at most ``limit`` a row."""
    found, owners = neighbours(starts, targets, rows, limit)
    return Links(rows[owners], found)


def grouped(owners: Integers, rows: int) -> tuple[Integers, Integers]:
    """Starts of each row's group, and the order that brings the groups together."""
    starts = starts_of(np.bincount(owners, minlength=rows))
    return starts, np.argsort(owners, kind="stable")


def starts_of(sizes: Integers) -> Integers:
    """Where groups of these sizes start, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts
