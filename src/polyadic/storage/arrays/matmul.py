"""Matrix products that run in the calling thread."""

import numpy as np

from polyadic.storage.incidence import Floats

_AT_ONCE = 2**18
"""Multiplications that OpenBLAS does in one thread. For more it uses worker threads, which gains microseconds on an
idle machine; on a busy one they are not scheduled, and the caller spins for milliseconds."""


def multiply(vectors: Floats, others: Floats) -> Floats:
    """Compute the inner products of m vectors, shape (m, d), with n others, shape (n, d): shape (m, n).

    >>> multiply(np.eye(2, dtype=np.float32), np.array([[3, 4]], dtype=np.float32)).tolist()
    [[3.0], [4.0]]
    """
    products = np.empty((len(vectors), len(others)), dtype=np.float32)
    block = max(1, _AT_ONCE // max(1, vectors.size))
    for start in range(0, len(others), block):
        products[:, start : start + block] = vectors @ others[start : start + block].T
    return products


def normalized(sums: Floats) -> Floats:
    """Scale vectors, shape (n, d), to length 1; zero vectors stay as they are.

    >>> normalized(np.array([[0, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def multiply_by(vector: Floats, others: Floats) -> Floats:
    """Compute the inner products of one vector, shape (d,), with n others, shape (n, d): shape (n,)."""
    return np.asarray(multiply(vector[None, :], others)[0], dtype=np.float32)
