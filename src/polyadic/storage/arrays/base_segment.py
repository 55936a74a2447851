"""The saved arrays of a state: derived files from which later states are updated incrementally."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyadic.storage.arrays.array_files import mapped, write
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.incidence import Digests, Integers
from polyadic.storage.protocol import Side

LAYOUT = 5
"""Version of the array layout. Increment it when the same tables give other arrays; older files are then rebuilt."""

_SIDES: tuple[Side, ...] = ("entity", "fact", "chunk")
_VECTORS = ("form_vectors", "fact_vectors", "window_vectors")


@dataclass(frozen=True)
class BaseSegment:
    """The snapshot of a state, its vectors, and what updating it incrementally needs.

    ``*_digests`` are public identifiers, ``*_sorting`` is the permutation that sorts the primary keys.
    ``chunk_documents`` and ``chunk_offsets`` give the position of each chunk. ``contested`` lists for each entity the
    chunks whose topic it may become, or cease to be, when its degree or score changes (see topic_entities.py). Vectors
    of shape (n, d) are in CSR form like incidence in the snapshot. Sides with many vectors have quantized ``codes``.
    """

    snapshot: ArraySnapshot
    entity_digests: Digests
    entity_sorting: Integers
    fact_digests: Digests
    fact_sorting: Integers
    chunk_digests: Digests
    chunk_sorting: Integers
    chunk_documents: Digests
    chunk_offsets: Integers
    contested_starts: Integers
    contested: Integers
    form_starts: Integers
    form_vectors: Matrix
    fact_vectors: Matrix
    window_starts: Integers
    window_vectors: Matrix
    codes: Mapping[Side, PQIndex]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Memory-map the arrays in a folder.

        Raises
        ------
        OSError, ValueError
            The folder does not exist, or is incomplete.
        """
        # Plain array views: indexing a memmap object costs several times as much.
        snapshot = ArraySnapshot(
            **{field.name: mapped(folder, field.name).view(np.ndarray) for field in fields(ArraySnapshot)}
        )
        arrays: dict[str, Any] = {name: mapped(folder, name).view(np.ndarray) for name in cls._array_names()}
        arrays |= {name: Matrix.load(folder, name) for name in _VECTORS}
        codes = {side: PQIndex.load(path) for side in _SIDES if (path := _codes_path(folder, side)).exists()}
        return cls(snapshot, codes=codes, **arrays)

    def save(self, folder: Path) -> None:
        """Write and sync all arrays except the vectors."""
        for field in fields(ArraySnapshot):
            write(folder, field.name, getattr(self.snapshot, field.name))
        for name in self._array_names():
            write(folder, name, getattr(self, name))
        for side, codes in self.codes.items():
            codes.save(_codes_path(folder, side))

    @property
    def size(self) -> int:
        """The number of rows on all sides."""
        return len(self.entity_digests) + len(self.fact_digests) + len(self.chunk_digests)

    def digests(self, side: Side) -> Digests:
        return {"entity": self.entity_digests, "fact": self.fact_digests, "chunk": self.chunk_digests}[side]

    def find(self, side: Side, ids: Integers) -> Integers:
        """Return the rows of primary keys, -1 for unknown keys."""
        sorting = {"entity": self.entity_sorting, "fact": self.fact_sorting, "chunk": self.chunk_sorting}[side]
        if not len(sorting):
            return np.full(len(ids), -1, dtype=np.int64)
        keys = self._keys[side]
        rows = sorting[np.minimum(keys.searchsorted(ids, sorter=sorting), len(sorting) - 1)]
        return np.where(keys[rows] == ids, rows, -1).astype(np.int64)

    @cached_property
    def form_owners(self) -> Integers:
        """The entity row of each form vector."""
        return _owners(self.form_starts)

    @cached_property
    def window_owners(self) -> Integers:
        """The chunk row of each window vector."""
        return _owners(self.window_starts)

    @cached_property
    def _keys(self) -> dict[Side, Integers]:
        s = self.snapshot
        return {"entity": s.entity_ids, "fact": s.fact_ids, "chunk": s.chunk_ids}

    @classmethod
    def _array_names(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name not in ("snapshot", "codes", *_VECTORS)]


def _owners(starts: Integers) -> Integers:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _codes_path(folder: Path, side: Side) -> Path:
    return folder / f"{side}.codes"
