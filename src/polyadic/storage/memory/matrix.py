"""Vectors row by row, in memory or in a file."""

import os
import weakref
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.memory.array_files import mapped, write_blocks
from polyadic.storage.memory.matmul import multiply_by
from polyadic.storage.memory.pq_index import LEAST
from polyadic.storage.sql.half_precision import HALF, Halves, widened

MOST_MAPPED = 64 * 2**20
"""Bytes of a file of which rows are read through its mapping."""
_AT_ONCE = 8_192


class Matrix:
    """An array of shape (n, d), in half precision or not; whatever is asked for comes as float32.

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
        """Map a file; raises OSError or ValueError where it is not there, or not whole."""
        array = mapped(folder, name)
        found = cls(array.view(np.ndarray))
        # The system maps 64 kB around each row that is touched: after some hundred questions a file of gigabytes would
        # be in memory as a whole, and be counted as ours. Where there is no pread, that is how it is.
        if array.nbytes > MOST_MAPPED and hasattr(os, "pread"):
            found._file, found._first = os.open(folder / f"{name}.npy", os.O_RDONLY), array.offset
            weakref.finalize(found, os.close, found._file)
        return found

    @classmethod
    def write(cls, folder: Path, name: str, blocks: Iterable[Halves], width: int) -> Self:
        """Write a file block by block, and map it; implements Keep (see builder.py) but for the folder."""
        write_blocks(folder, name, blocks, width)
        return cls.load(folder, name)

    @classmethod
    def joined(cls, _name: str, blocks: Iterable[Halves], width: int) -> Self:
        """In memory; implements Keep."""
        return cls(np.concatenate([np.zeros((0, width), dtype=HALF), *blocks]))

    @property
    def width(self) -> int:
        return int(self.array.shape[1])

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: Integers) -> Floats:
        """Some rows, as an array of its own."""
        if self._file is None:
            return widened(self.array[rows])
        file, size = self._file, self.array.strides[0]
        read = [os.pread(file, size, place) for place in (self._first + size * rows).tolist()]
        return widened(np.frombuffer(b"".join(read), dtype=self.array.dtype).reshape(len(rows), self.width))

    def times(self, vector: Floats) -> Floats:
        """The product of each row with a vector of shape (d,)."""
        if len(self) < LEAST:
            return multiply_by(vector, self._widened) if len(self) else np.zeros(0, dtype=np.float32)
        found = np.empty(len(self), dtype=np.float32)
        for start in range(0, len(self), _AT_ONCE):
            found[start : start + _AT_ONCE] = multiply_by(vector, widened(self.array[start : start + _AT_ONCE]))
        return found

    @cached_property
    def _widened(self) -> Floats:
        """Kept in memory: without codes all rows are compared for each question."""
        return widened(self.array)
