"""The best of many rows by a number each."""

import numpy as np

from polyadic.store.protocol import Hits, Vectors


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
