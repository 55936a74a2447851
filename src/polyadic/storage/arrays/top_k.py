"""Select the k rows with the highest values."""

import numpy as np

from polyadic.storage.protocol import Hits, Rows, Vectors


def contenders(numbers: Vectors, k: int, doubt: float) -> Rows:
    """Return the rows that may be among the k highest if values that differ by less than ``doubt`` may be swapped.

    Infinite values are never included.
    """
    k = min(k, len(numbers))
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    last = np.partition(numbers, len(numbers) - k)[len(numbers) - k]
    highest = np.flatnonzero(numbers >= last - doubt)
    return highest[np.isfinite(numbers[highest])]


def first_of_each(rows: Rows) -> Rows:
    """Return the index of the first occurrence of each row, in ascending order of rows.

    >>> first_of_each(np.array([7, 3, 7, 3])).tolist()
    [1, 0]
    """
    # Sorting integers that combine row and index is several times as fast as an argsort.
    bits = len(rows).bit_length()
    numbers = np.sort((rows << bits) | np.arange(len(rows)))
    is_first = np.ones(len(rows), dtype=bool)
    np.not_equal(numbers[1:] >> bits, numbers[:-1] >> bits, out=is_first[1:])
    return np.asarray(numbers[is_first] & ((1 << bits) - 1), dtype=np.int64)


def best_of(rows: Rows, numbers: Vectors, k: int) -> Hits:
    """Return the k of these rows (ascending) with the highest values; ties are ordered by row."""
    highest = contenders(numbers, k, 0.0)
    highest = highest[np.argsort(-numbers[highest], kind="stable")][:k]
    return Hits(rows[highest], numbers[highest].astype(np.float32))
