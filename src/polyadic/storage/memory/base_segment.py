"""All that is saved of a state: files that can always be made again, from which later states are brought forward."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyadic.storage.incidence import Digests, Integers
from polyadic.storage.memory.array_files import mapped, write
from polyadic.storage.memory.matrix import Matrix
from polyadic.storage.memory.pq_index import PQIndex
from polyadic.storage.memory.snapshot import ArraySnapshot
from polyadic.storage.protocol import Side

LAYOUT = 5
"""Changes when the same tables would give other arrays: those of before are then made again."""

_SIDES: tuple[Side, ...] = ("entity", "fact", "chunk")
_VECTORS = ("form_vectors", "fact_vectors", "window_vectors")


@dataclass(frozen=True)
class BaseSegment:
    """The snapshot of a state, its vectors of d numbers, and what it takes to bring it forward.

    ``*_digests`` are public identifiers, ``*_sorting`` brings the keys of the tables into order. ``chunk_documents``
    and ``chunk_offsets`` tell where the chunks stand. ``contested`` lists for each entity the chunks that it may come
    to be the subject of, or cease to be, as its numbers change (see topic_entities.py). Starts of vectors are as those
    of neighbours in the snapshot. Sides of many vectors have ``codes`` of them.
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
        """Map the arrays of a folder into memory.

        Raises
        ------
        OSError, ValueError
            The folder is not there, or not whole.
        """
        # Plain views of the mappings: indexing a memmap object itself costs several times as much.
        snapshot = ArraySnapshot(
            **{field.name: mapped(folder, field.name).view(np.ndarray) for field in fields(ArraySnapshot)}
        )
        arrays: dict[str, Any] = {name: mapped(folder, name).view(np.ndarray) for name in cls._own()}
        arrays |= {name: Matrix.load(folder, name) for name in _VECTORS}
        codes = {side: PQIndex.load(path) for side in _SIDES if (path := _codes(folder, side)).exists()}
        return cls(snapshot, codes=codes, **arrays)

    def save(self, folder: Path) -> None:
        """Write to a folder all but the vectors, each file synced."""
        for field in fields(ArraySnapshot):
            write(folder, field.name, getattr(self.snapshot, field.name))
        for name in self._own():
            write(folder, name, getattr(self, name))
        for side, codes in self.codes.items():
            codes.save(_codes(folder, side))

    @property
    def size(self) -> int:
        """How many rows there are, of all sides."""
        return len(self.entity_digests) + len(self.fact_digests) + len(self.chunk_digests)

    def digests(self, side: Side) -> Digests:
        return {"entity": self.entity_digests, "fact": self.fact_digests, "chunk": self.chunk_digests}[side]

    def find(self, side: Side, ids: Integers) -> Integers:
        """Rows of keys of the tables, -1 where there is no such key."""
        sorting = {"entity": self.entity_sorting, "fact": self.fact_sorting, "chunk": self.chunk_sorting}[side]
        if not len(sorting):
            return np.full(len(ids), -1, dtype=np.int64)
        known = self._keys[side]
        found = sorting[np.minimum(known.searchsorted(ids, sorter=sorting), len(sorting) - 1)]
        return np.where(known[found] == ids, found, -1).astype(np.int64)

    @cached_property
    def form_owners(self) -> Integers:
        """For each vector of an entity its row."""
        return _owners(self.form_starts)

    @cached_property
    def window_owners(self) -> Integers:
        """For each vector of a chunk its row."""
        return _owners(self.window_starts)

    @cached_property
    def _keys(self) -> dict[Side, Integers]:
        s = self.snapshot
        return {"entity": s.entity_ids, "fact": s.fact_ids, "chunk": s.chunk_ids}

    @classmethod
    def _own(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name not in ("snapshot", "codes", *_VECTORS)]


def _owners(starts: Integers) -> Integers:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _codes(folder: Path, side: Side) -> Path:
    return folder / f"{side}.codes"
