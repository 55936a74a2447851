"""Small steps on what a store answers."""

import numpy as np
from numpy.typing import NDArray

from polyadic.store.protocol import Hits, Links, Reader, Rows, Side, Vectors


def distinct(*rows: Rows) -> Rows:
    """The rows of all of these, each once and in ascending order; of the few of a question sooner than by np.unique.

    >>> distinct(np.array([3, 1]), np.array([1])).tolist()
    [1, 3]
    """
    ordered = np.sort(np.concatenate(rows))
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def among(rows: Rows, others: Rows) -> NDArray[np.bool_]:
    """Which rows are among others, in any order; of the few of a question sooner told than by np.isin.

    >>> among(np.array([5, 2]), np.array([7, 2])).tolist()
    [False, True]
    """
    if not len(others):
        return np.zeros(len(rows), dtype=bool)
    ordered = np.sort(others)
    return np.asarray(ordered[np.minimum(ordered.searchsorted(rows), len(ordered) - 1)] == rows)


def above(least: float, hits: Hits) -> Hits:
    """The hits with at least this score."""
    passed = hits.scores >= least
    return Hits(hits.rows[passed], hits.scores[passed])


def targets_by_source(links: Links) -> dict[int, list[int]]:
    """What each row that was asked about leads to; absent where it leads nowhere."""
    found: dict[int, list[int]] = {}
    for source, target in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
        found.setdefault(source, []).append(target)
    return found


def alike_to(vector: Vectors, side: Side, rows: Rows, reader: Reader) -> Vectors:
    """The similarity of each row to a vector of shape (d,); rows that come often are compared once."""
    once, which = np.unique(rows, return_inverse=True)
    return np.asarray(reader.similarity(side, once, vector[None, :])[0][which], dtype=np.float32)
