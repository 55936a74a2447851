"""Vectors as the tables hold them."""

from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np

from polyadic.store.incidence import Floats


class Packed(bytes):
    """The numbers of one vector, little-endian float32; an engine with a type for vectors knows them by this one."""

    @property
    def width(self) -> int:
        """How many numbers there are."""
        return len(self) // 4

    @classmethod
    def each(cls, vectors: Floats) -> Iterator[Self]:
        """
        >>> [len(one) for one in Packed.each(np.ones((2, 3), dtype=np.float32))]
        [12, 12]
        """
        return (cls(row.tobytes()) for row in np.ascontiguousarray(vectors, dtype="<f4"))


def unpacked(vectors: Iterable[bytes], width: int) -> Floats:
    """The inverse of :meth:`Packed.each`, shape (n, width).

    >>> unpacked(Packed.each(np.eye(2, dtype=np.float32)), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, width) if width else np.zeros((0, 0), np.float32)
