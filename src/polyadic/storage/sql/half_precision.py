"""How the numbers of vectors are kept: in half precision, in the tables as in the arrays made of them.

They are rounded once, when they are put. Whatever compares vectors has them as float32, which holds each of these
numbers exactly, so that nothing hangs on where a vector was read. Of a vector of length 1 rounding moves a cosine by
some 1e-5.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.incidence import Floats

HALF = np.dtype("<f2")
Halves = NDArray[np.float16]

# A half has 5 bits of exponent and 10 of fraction, a float 8 and 23.
_FURTHER_BITS = 23 - 10
_SIGN_AND_NUMBER = np.int32(-0x80000000 | (0x7FFF << _FURTHER_BITS))
_OTHER_BIAS = np.float32(2.0 ** (127 - 15))


class HalfVector(bytes):
    """One vector as the tables have it; an engine with a type for vectors knows them by this one."""

    @property
    def width(self) -> int:
        """How many numbers there are."""
        return len(self) // HALF.itemsize

    @classmethod
    def each(cls, vectors: Floats) -> Iterator[Self]:
        """
        >>> [one.width for one in HalfVector.each(np.ones((2, 3), dtype=np.float32))]
        [3, 3]
        """
        return (cls(row.tobytes()) for row in rounded(vectors))


def rounded(vectors: Floats) -> Halves:
    """To the nearest that is kept; shape (n, d)."""
    return np.ascontiguousarray(vectors, dtype=HALF)


def halved(data: bytes) -> bytes:
    """What an earlier version kept as float32."""
    return np.frombuffer(data, dtype="<f4").astype(HALF).tobytes()


def kept(data: Sequence[bytes], width: int) -> Halves:
    """Vectors of so many numbers as the tables have them, shape (n, width)."""
    return np.frombuffer(b"".join(data), dtype=HALF).reshape(len(data), width)


def widened(vectors: NDArray[Any]) -> Floats:
    """As float32, exactly; what is float32 already stays as it is.

    Done by bits, for whole arrays at once: numpy goes number by number, which takes six times as long.

    >>> widened(rounded(np.array([[1.0, -0.375, 1e-7]]))).tolist() == [[1.0, -0.375, 2.0**-23]]
    True
    """
    if vectors.dtype != HALF:
        return vectors
    # The sign is carried to the left as the number is made wider, and stays there.
    bits = vectors.view("<i2").astype(np.int32)
    bits <<= _FURTHER_BITS
    bits &= _SIGN_AND_NUMBER
    found = bits.view(np.float32)
    found *= _OTHER_BIAS
    return found
