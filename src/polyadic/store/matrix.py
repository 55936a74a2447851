"""Vectors row by row, in memory or in a file that is mapped into it."""

import mmap
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import numpy as np

from polyadic.store.array_files import mapped, write_blocks
from polyadic.store.incidence import Floats, Integers

_MOST_TAKEN = 2_048
"""Rows that are taken from a mapped file before what is mapped is let go of: of 64 kB around each, as a rule."""


class Matrix:
    """An array of shape (n, d).

    Examples
    --------
    >>> found = Matrix(np.eye(3, dtype=np.float32))
    >>> len(found), found.width, found.take(np.array([2])).tolist()
    (3, 3, [[0.0, 0.0, 1.0]])
    """

    def __init__(self, array: Floats) -> None:
        self._mapping: mmap.mmap | None = getattr(array, "_mmap", None)
        # A plain view of the mapping: indexing a memmap object itself costs several times as much.
        self.array = array.view(np.ndarray)
        self._taken = 0

    @classmethod
    def load(cls, folder: Path, name: str) -> Self:
        """Map a file; raises OSError or ValueError where it is not there, or not whole."""
        return cls(mapped(folder, name))

    @classmethod
    def write(cls, folder: Path, name: str, blocks: Iterable[Floats], width: int) -> Self:
        """Write a file block by block, and map it; implements Keep (see building.py) but for the folder."""
        write_blocks(folder, name, blocks, width)
        return cls.load(folder, name)

    @classmethod
    def joined(cls, _name: str, blocks: Iterable[Floats], width: int) -> Self:
        """In memory; implements Keep."""
        return cls(np.concatenate([np.zeros((0, width), dtype=np.float32), *blocks]))

    @property
    def width(self) -> int:
        return int(self.array.shape[1])

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: Integers) -> Floats:
        """Some rows, as an array of its own."""
        found = self.array[rows]
        self._taken += len(rows)
        if self._mapping is not None and self._taken > _MOST_TAKEN and hasattr(mmap, "MADV_DONTNEED"):
            # A file of gigabytes would be in memory as a whole after some hundred questions, and be counted as ours.
            self._mapping.madvise(mmap.MADV_DONTNEED)
            self._taken = 0
        return found

    def times(self, vector: Floats) -> Floats:
        """The product of each row with a vector of shape (d,)."""
        return np.asarray(self.array @ vector, dtype=np.float32) if len(self) else np.zeros(0, dtype=np.float32)
