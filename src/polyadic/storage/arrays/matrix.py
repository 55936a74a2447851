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


class Matrix:
    """An array of shape (n, d), in half or single precision; all results are float32.

    Examples
    --------
    >>> found = Matrix(np.eye(3, dtype=np.float32))
    >>> len(found), found.width, found.take(np.array([2])).tolist()
    (3, 3, [[0.0, 0.0, 1.0]])
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self._file: int | None = None
        self._first = 0

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
    def write(cls, folder: Path, name: str, blocks: Iterable[Halves], width: int) -> Self:
        """Write a file block by block, and map it; implements ``Keep`` (see builder.py) once the folder is bound."""
        write_blocks(folder, name, blocks, width)
        return cls.load(folder, name)

    @classmethod
    def joined(cls, _name: str, blocks: Iterable[Halves], width: int) -> Self:
        """Concatenate blocks in memory; implements ``Keep``."""
        return cls(np.concatenate([np.zeros((0, width), dtype=HALF), *blocks]))

    @property
    def width(self) -> int:
        return int(self.array.shape[1])

    def __len__(self) -> int:
        return len(self.array)

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
            products[start : start + _BLOCK_ROWS] = multiply_by(
                vector, widened(self.array[start : start + _BLOCK_ROWS])
            )
        return products

    @cached_property
    def _widened(self) -> Floats:
        """The matrix in float32, cached: without codes every query compares all rows."""
        return widened(self.array)
