"""Adjacency lists in CSR form: ``starts`` (one longer than the rows) and ``targets``, concatenated row by row."""

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.records import Links

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Digests = NDArray[np.bytes_]
DIGEST_BYTES = 16
DIGEST = f"S{DIGEST_BYTES}"
"""The dtype of digest arrays. All digests have one length, so the trailing zeros that numpy strips are significant."""


def neighbours(
    starts: Integers, targets: Integers, rows: Integers, limit: int | None = None
) -> tuple[Integers, Integers]:
    """Return the targets of each row, at most ``limit`` each, and for each target its index into ``rows``."""
    places, owners = stretches(starts[rows], starts[rows + 1] - starts[rows], limit)
    return np.asarray(targets[places], dtype=np.int64), owners


def stretches(firsts: Integers, sizes: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
    """Expand ranges that begin at ``firsts``, at most ``limit`` positions each, with the range index of each one."""
    if limit is not None:
        sizes = np.minimum(sizes, limit)
    owners = np.arange(len(firsts)).repeat(sizes)
    # Subtracting the length of all earlier ranges lets one running index serve every range.
    origins: Integers = firsts - (np.cumsum(sizes) - sizes)
    return origins[owners] + np.arange(len(owners)), owners


def positions_of(rows: Integers, wanted: Integers) -> Integers:
    """Return the position of each wanted row among distinct rows in any order, which contain it.

    >>> positions_of(np.array([7, 3, 5]), np.array([3, 7, 3])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(rows)
    return np.asarray(order[np.searchsorted(rows, wanted, sorter=order)], dtype=np.int64)


def limited(owners: Integers, limit: int) -> Mask:
    """Mask the first ``limit`` pairs of each row; pairs are grouped by row in ascending order."""
    firsts = np.searchsorted(owners, owners)
    return np.arange(len(owners)) - firsts < limit


def links_of(starts: Integers, targets: Integers, rows: Integers, limit: int | None = None) -> Links:
    """Return links from each row to its targets, at most ``limit`` per row."""
    selected, owners = neighbours(starts, targets, rows, limit)
    return Links(rows[owners], selected)


def grouped(owners: Integers, rows: int) -> tuple[Integers, Integers]:
    """Return the start of each row's group, and the permutation that sorts pairs into groups."""
    starts = starts_of(np.bincount(owners, minlength=rows))
    return starts, np.argsort(owners, kind="stable")


def starts_of(sizes: Integers) -> Integers:
    """Return the start of each group of these sizes, and the end of the last."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts
