"""Matrix of vectors in memory or in a file."""

import os
import weakref
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.array_files import mapped, write_blocks
from polyadic.storage.arrays.matmul import multiply_by
from polyadic.storage.arrays.pq_index import LEAST
from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.sql.half_precision import HALF, Halves, widened

MOST_MAPPED = 64 * 2**20
"""Largest file in bytes whose rows are read through its memory mapping."""
_BLOCK_ROWS = 8_192
_MIN_ROOM = 64


class Matrix:
    """An array of shape (n, d), in half or single precision; all results are float32.

    Examples
    --------
    >>> found = Matrix(np.eye(3, dtype=np.float32))
    >>> len(found), found.width, found.take(np.array([2])).tolist()
    (3, 3, [[0.0, 0.0, 1.0]])
    """

    def __init__(self, array: NDArray[Any], room: NDArray[Any] | None = None) -> None:
        self.array = array
        self._room = array if room is None else room
        self._file: int | None = None
        self._first = 0

    @classmethod
    def empty(cls) -> Self:
        """Create a matrix without vectors, to be extended by vectors of any length."""
        return cls(np.zeros((0, 0), dtype=np.float32))

    @classmethod
    def load(cls, folder: Path, name: str) -> Self:
        """Memory-map a file; raises OSError or ValueError if it is missing or incomplete."""
        array = mapped(folder, name)
        matrix = cls(array.view(np.ndarray))
        # The kernel maps 64 kB around each row that is touched: after some hundred queries a file of gigabytes would be
        # resident and counted as memory of this process. Without pread that cannot be avoided.
        if array.nbytes > MOST_MAPPED and hasattr(os, "pread"):
            matrix._file, matrix._first = os.open(folder / f"{name}.npy", os.O_RDONLY), array.offset
            weakref.finalize(matrix, os.close, matrix._file)
        return matrix

    @classmethod
    def of_blocks(cls, blocks: Iterable[Halves], width: int, folder: Path | None, name: str) -> Self:
        """Write blocks of vectors to a file and map it; without a folder, concatenate them in memory."""
        if folder is None:
            return cls(np.concatenate([np.zeros((0, width), dtype=HALF), *blocks]))
        write_blocks(folder, name, blocks, width)
        return cls.load(folder, name)

    @property
    def width(self) -> int:
        return int(self.array.shape[1])

    def __len__(self) -> int:
        return len(self.array)

    def extended(self, vectors: NDArray[Any]) -> "Matrix":
        """Append vectors to a float32 matrix, in a buffer that both share; only the latest may be extended.

        >>> first = Matrix.empty().extended(np.array([[1.0]]))
        >>> second = first.extended(np.array([[2.0]]))
        >>> first.array.tolist(), second.array.tolist()
        ([[1.0]], [[1.0], [2.0]])
        """
        if not len(vectors):
            return self
        used, room = len(self) + len(vectors), self._room
        if used > len(room):
            room = np.empty((max(2 * used, _MIN_ROOM), vectors.shape[1]), dtype=np.float32)
            if len(self):
                room[: len(self)] = self.array
        room[len(self) : used] = widened(vectors)
        return Matrix(room[:used], room)

    def take(self, rows: Integers) -> Floats:
        """Return a copy of some rows."""
        if self._file is None:
            return widened(self.array[rows])
        file, size = self._file, self.array.strides[0]
        read = [os.pread(file, size, place) for place in (self._first + size * rows).tolist()]
        return widened(np.frombuffer(b"".join(read), dtype=self.array.dtype).reshape(len(rows), self.width))

    def times(self, vector: Floats) -> Floats:
        """Compute the inner product of each row with a vector of shape (d,)."""
        if len(self) < LEAST:
            return multiply_by(vector, self._widened) if len(self) else np.zeros(0, dtype=np.float32)
        products = np.empty(len(self), dtype=np.float32)
        for start in range(0, len(self), _BLOCK_ROWS):
            block = widened(self.array[start : start + _BLOCK_ROWS])
            products[start : start + _BLOCK_ROWS] = multiply_by(vector, block)
        return products

    @cached_property
    def _widened(self) -> Floats:
        """The matrix in float32, cached: without codes every query compares all rows."""
        return widened(self.array)
