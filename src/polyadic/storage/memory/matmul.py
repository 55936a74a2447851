"""Products of vectors, in the thread that asks for them."""

import numpy as np

from polyadic.storage.incidence import Floats

_AT_ONCE = 2**18
"""Multiplications that OpenBLAS does in one thread. Of more it leaves a part to others, which gains microseconds on a
quiet machine; on a busy one they have no processor, and what is waited for spins for milliseconds."""


def multiply(vectors: Floats, others: Floats) -> Floats:
    """Of each of m vectors, shape (m, d), with each of n others, shape (n, d): shape (m, n).

    >>> multiply(np.eye(2, dtype=np.float32), np.array([[3, 4]], dtype=np.float32)).tolist()
    [[3.0], [4.0]]
    """
    found = np.empty((len(vectors), len(others)), dtype=np.float32)
    block = max(1, _AT_ONCE // max(1, vectors.size))
    for start in range(0, len(others), block):
        found[:, start : start + block] = vectors @ others[start : start + block].T
    return found


def multiply_by(vector: Floats, others: Floats) -> Floats:
    """Of one vector, shape (d,), with each of n others, shape (n, d): shape (n,)."""
    return np.asarray(multiply(vector[None, :], others)[0], dtype=np.float32)
