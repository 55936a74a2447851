"""The best of many rows by a number each."""

import numpy as np

from polyadic.storage.protocol import Hits, Rows, Vectors


def contenders(numbers: Vectors, k: int, doubt: float) -> Rows:
    """Which may be among the k highest where two that differ by less than ``doubt`` may be in the wrong order.

    What is infinitely low is never among them.
    """
    k = min(k, len(numbers))
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    last = np.partition(numbers, len(numbers) - k)[len(numbers) - k]
    return np.flatnonzero((numbers >= last - doubt) & np.isfinite(numbers))


def first_of_each(rows: Rows) -> Rows:
    """Where each row comes first among rows of which some come again, in ascending order of rows.

    >>> first_of_each(np.array([7, 3, 7, 3])).tolist()
    [1, 0]
    """
    # Numbers that hold both a row and its place are sorted several times as fast as places by their rows.
    bits = len(rows).bit_length()
    numbers = np.sort((rows << bits) | np.arange(len(rows)))
    is_first = np.ones(len(rows), dtype=bool)
    np.not_equal(numbers[1:] >> bits, numbers[:-1] >> bits, out=is_first[1:])
    return np.asarray(numbers[is_first] & ((1 << bits) - 1), dtype=np.int64)


def best_of(rows: Rows, numbers: Vectors, k: int) -> Hits:
    """The k of these rows, in ascending order, that have the highest numbers, ties in the order of rows."""
    found = best(numbers, k)
    return Hits(rows[found.rows], found.scores)


def best(similarities: Vectors, k: int) -> Hits:
    """The k rows with the highest numbers, ties in the order of rows."""
    k = min(k, len(similarities))
    if k <= 0:
        return Hits(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
    last = np.partition(similarities, len(similarities) - k)[len(similarities) - k]
    better, equal = np.flatnonzero(similarities > last), np.flatnonzero(similarities == last)
    rows = np.sort(np.concatenate([better, equal[: k - len(better)]]))
    rows = rows[np.argsort(-similarities[rows], kind="stable")]
    return Hits(rows.astype(np.int64), similarities[rows].astype(np.float32))
