"""All that is saved of a state: files that can always be made again, from which later states are brought forward."""

import contextlib
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.store.incidence import Digests, Floats, Integers
from polyadic.store.protocol import Side
from polyadic.store.snapshot import Snapshot

LAYOUT = 3
"""Changes when the same tables would give other arrays: those of before are then made again."""

_LEFT_OVER_SECONDS = 60


@dataclass(frozen=True)
class Base:
    """The snapshot of a state, its vectors of d numbers, and what it takes to bring it forward.

    ``*_digests`` are public identifiers, ``*_sorting`` brings the keys of the tables into order. ``chunk_documents``
    and ``chunk_offsets`` tell where the chunks stand. ``contested`` lists for each entity the chunks that it may come
    to be the subject of, or cease to be, as its numbers change (see subjects.py). Starts of vectors are as those of
    neighbours in the snapshot.
    """

    snapshot: Snapshot
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
    form_vectors: Floats
    fact_vectors: Floats
    window_starts: Integers
    window_vectors: Floats

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Map the arrays of a folder into memory.

        Raises
        ------
        OSError, ValueError
            The folder is not there, or not whole.
        """
        snapshot = Snapshot(**{field.name: _mapped(folder, field.name) for field in fields(Snapshot)})
        return cls(snapshot, **{name: _mapped(folder, name) for name in cls._own()})

    def save(self, folder: Path) -> None:
        """Write the arrays aside, sync them and rename them into place; older siblings of the folder go."""
        arrays = {field.name: getattr(self.snapshot, field.name) for field in fields(Snapshot)}
        arrays |= {name: getattr(self, name) for name in self._own()}
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix="writing-", dir=folder.parent))
        try:
            for name, array in arrays.items():
                with (aside / f"{name}.npy").open("wb") as file:
                    np.save(file, array, allow_pickle=False)
                    file.flush()
                    os.fsync(file.fileno())
            # Another process may have put the same state into place meanwhile, which is as good.
            with contextlib.suppress(OSError):
                aside.rename(folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        _remove_others(folder)

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
    def _keys(self) -> dict[Side, Integers]:
        s = self.snapshot
        return {"entity": s.entity_ids, "fact": s.fact_ids, "chunk": s.chunk_ids}

    @classmethod
    def _own(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.name != "snapshot"]


def _mapped(folder: Path, name: str) -> NDArray[Any]:
    # A plain view of the mapping: indexing a memmap object itself costs several times as much.
    mapped: NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    return mapped.view(np.ndarray)


def _remove_others(folder: Path) -> None:
    """Older states, and what killed processes left; what another process writes at this moment stays."""
    for sibling in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if sibling != folder and time.time() - sibling.stat().st_mtime > _LEFT_OVER_SECONDS:
                shutil.rmtree(sibling, ignore_errors=True)
