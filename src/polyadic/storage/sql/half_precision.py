"""Half-precision storage of vectors, in the tables and in the arrays built from them.

Vectors are rounded once, when they are stored. They are compared as float32, which represents each half exactly, so
results do not depend on where a vector was read. For unit vectors, rounding moves a cosine by some 1e-5.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.incidence import Floats

HALF = np.dtype("<f2")
Halves = NDArray[np.float16]

# A half has 5 exponent and 10 fraction bits, a float has 8 and 23.
_EXTRA_FRACTION_BITS = 23 - 10
_SIGN_AND_MAGNITUDE = np.int32(-0x80000000 | (0x7FFF << _EXTRA_FRACTION_BITS))
_EXPONENT_BIAS = np.float32(2.0 ** (127 - 15))


class HalfVector(bytes):
    """One vector as stored in the tables; engines with a vector type adapt this class."""

    @property
    def width(self) -> int:
        """Dimension of the vector."""
        return len(self) // HALF.itemsize

    @classmethod
    def each(cls, vectors: Floats) -> Iterator[Self]:
        """Round vectors, shape (n, d), and yield them one by one.

        >>> [one.width for one in HalfVector.each(np.ones((2, 3), dtype=np.float32))]
        [3, 3]
        """
        return (cls(row.tobytes()) for row in rounded(vectors))


def rounded(vectors: Floats) -> Halves:
    """Round vectors, shape (n, d), to half precision."""
    return np.ascontiguousarray(vectors, dtype=HALF)


def kept(data: Sequence[bytes], width: int) -> Halves:
    """Stack stored vectors of dimension ``width`` to an array of shape (n, width)."""
    return np.frombuffer(b"".join(data), dtype=HALF).reshape(len(data), width)


def widened(vectors: NDArray[Any]) -> Floats:
    """Convert half-precision vectors to float32, exactly; return float32 vectors unchanged.

    Works on the bits of whole arrays, as numpy's own conversion takes six times as long.

    >>> widened(rounded(np.array([[1.0, -0.375, 1e-7]]))).tolist() == [[1.0, -0.375, 2.0**-23]]
    True
    """
    if vectors.dtype != HALF:
        return vectors
    # Sign extension to int32 puts the sign bit in place; the mask below keeps it and clears its copies.
    bits = vectors.view("<i2").astype(np.int32)
    bits <<= _EXTRA_FRACTION_BITS
    bits &= _SIGN_AND_MAGNITUDE
    floats = bits.view(np.float32)
    floats *= _EXPONENT_BIAS
    return floats
