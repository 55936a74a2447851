"""Adjacency lists in CSR form: ``starts`` (one longer than the rows) and ``targets``, concatenated row by row.

Also set operations on small arrays of rows, where they are faster than numpy's own functions.
"""

from dataclasses import dataclass
from typing import Self

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


@dataclass(frozen=True, slots=True)
class Incidence:
    """Adjacency lists: row i is linked to ``targets[starts[i]:starts[i + 1]]``.

    Examples
    --------
    >>> links = Incidence.of(np.array([1, 0, 1]), np.array([5, 4, 3]), 3)
    >>> [targets.tolist() for targets in links.neighbours(np.array([1, 2, 0]))]
    [[3, 5, 4], [0, 0, 2]]
    """

    starts: Integers
    targets: Integers

    @classmethod
    def of(cls, sources: Integers, targets: Integers, rows: int) -> Self:
        """Build from pairs in any order; the targets of each row are sorted."""
        order = np.lexsort((targets, sources))
        return cls.grouped(sources[order], targets[order], rows)

    @classmethod
    def grouped(cls, sources: Integers, targets: Integers, rows: int) -> Self:
        """Build from pairs that are grouped by row, in ascending order of rows."""
        return cls(starts_of(np.bincount(sources, minlength=rows)), targets)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> Integers:
        """Number of targets of each row."""
        return np.diff(self.starts)

    @property
    def sources(self) -> Integers:
        """The row of each target."""
        return np.repeat(np.arange(self.rows), self.sizes)

    def neighbours(self, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        """Return the targets of rows, and for each target its index into ``rows``, as :func:`neighbours` does."""
        return neighbours(self.starts, self.targets, rows, limit)

    def links(self, rows: Integers, limit: int | None = None) -> Links:
        """Return links from each row to its targets, at most ``limit`` per row."""
        targets, owners = self.neighbours(rows, limit)
        return Links(rows[owners], targets)

    def count(self, mask: Mask) -> Integers:
        """Count the targets of each row that a mask of target rows selects."""
        return np.diff(starts_of(mask[self.targets])[self.starts])

    def kept(self, mask: Mask) -> "Incidence":
        """Select targets by a mask of all pairs."""
        return Incidence(starts_of(mask)[self.starts], self.targets[mask])

    def within(self, rows: Mask, targets: Mask | None = None) -> "Incidence":
        """Select rows by a mask and renumber them; likewise the targets, if a mask is given for them."""
        kept = self.kept(rows[self.sources] if targets is None else rows[self.sources] & targets[self.targets])
        renumbered = kept.targets if targets is None else (np.cumsum(targets) - 1)[kept.targets]
        return Incidence(starts_of(kept.sizes[rows]), renumbered)

    def renumbered(self, targets: Integers) -> "Incidence":
        """Renumber the targets: target t becomes ``targets[t]``."""
        return Incidence.of(self.sources, targets[self.targets], self.rows)

    def transposed(self, rows: int) -> "Incidence":
        """Turn targets into rows; ``rows`` is the number of rows of the result."""
        return Incidence.of(self.targets, self.sources, rows)


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


def matches(ordered: Integers, wanted: Integers) -> tuple[Integers, Integers]:
    """Return the positions of each wanted number in a sorted array, and for each position its index into ``wanted``.

    >>> [found.tolist() for found in matches(np.array([5, 5, 7]), np.array([7, 6, 5, 7]))]
    [[2, 0, 1, 2], [0, 2, 2, 3]]
    """
    firsts = ordered.searchsorted(wanted)
    return stretches(firsts, ordered.searchsorted(wanted, side="right") - firsts)


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


def grouped(owners: Integers, rows: int) -> tuple[Integers, Integers]:
    """Return the start of each row's group, and the permutation that sorts pairs into groups."""
    starts = starts_of(np.bincount(owners, minlength=rows))
    return starts, np.argsort(owners, kind="stable")


def starts_of(sizes: NDArray[np.int64] | Mask) -> Integers:
    """Return the start of each group of these sizes, and the end of the last."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def firsts_of(owners: Integers) -> Integers:
    """Return the first index of each owner's group; every owner has one."""
    return np.flatnonzero(np.diff(owners, prepend=-1))


def distinct(*rows: Integers) -> Integers:
    """Return the union of row arrays, sorted.

    >>> distinct(np.array([3, 1]), np.array([1])).tolist()
    [1, 3]
    """
    ordered = np.sort(np.concatenate(rows))
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def among(rows: Integers, others: Integers) -> Mask:
    """Mask the rows that occur in ``others``, in any order.

    >>> among(np.array([5, 2]), np.array([7, 2])).tolist()
    [False, True]
    """
    if not len(others):
        return np.zeros(len(rows), dtype=bool)
    ordered = np.sort(others)
    return np.asarray(ordered[np.minimum(ordered.searchsorted(rows), len(ordered) - 1)] == rows)
