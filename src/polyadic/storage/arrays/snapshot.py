"""Statistics and incidence of one committed state as arrays.

Array positions are the rows of the storage protocol. They follow the order of public identifiers, so that ties are
broken in the same way whatever the history of a store.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from polyadic.storage.arrays.protocol import Way
from polyadic.storage.incidence import Floats, Integers, neighbours
from polyadic.storage.protocol import Side


@dataclass(frozen=True)
class ArraySnapshot:
    """Arrays of one state with n entities, m facts and c chunks; implements
    :class:`polyadic.storage.arrays.protocol.Arrays`.

    ``*_ids`` are primary keys. Incidence is stored in CSR form: row i has the neighbours
    ``x[x_starts[i]:x_starts[i + 1]]``, in ascending order. ``chunk_order`` is the rank of each chunk in document order.
    ``title_entity`` is -1 if no entity has the document's title. The topic entities (``about_*``) are computed from the
    other arrays: see topic_entities.py.
    """

    entity_ids: Integers
    entity_scores: Floats
    entity_chunk_counts: Integers
    fact_ids: Integers
    fact_scores: Floats
    chunk_ids: Integers
    chunk_order: Integers
    title_entity: Integers
    about_entity: Integers
    about_starts: Integers
    about_chunks: Integers
    fact_entity_starts: Integers
    fact_entities: Integers
    entity_fact_starts: Integers
    entity_facts: Integers
    fact_chunk_starts: Integers
    fact_chunks: Integers
    chunk_fact_starts: Integers
    chunk_facts: Integers

    @property
    def participations(self) -> int:
        return len(self.fact_entities)

    def size(self, side: Side) -> int:
        return len(self._ids[side])

    def ids(self, side: Side, rows: Integers) -> Integers:
        return np.asarray(self._ids[side][rows], dtype=np.int64)

    def rows(self, side: Side, ids: Sequence[int] | Integers) -> Integers:
        keys, order = self._ids[side], self._orders[side]
        return np.asarray(order[np.searchsorted(keys, np.asarray(ids, dtype=np.int64), sorter=order)], dtype=np.int64)

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        return neighbours(*self.incidence(way), rows, limit)

    def degrees(self, side: Side, rows: Integers) -> Integers:
        starts = {"entity": self.entity_fact_starts, "fact": self.fact_entity_starts, "chunk": self.chunk_fact_starts}
        return np.asarray(starts[side][rows + 1] - starts[side][rows], dtype=np.int64)

    def scores(self, side: Literal["entity", "fact"], rows: Integers) -> Floats:
        return np.asarray((self.entity_scores if side == "entity" else self.fact_scores)[rows], dtype=np.float32)

    def chunk_frequency(self, entities: Integers) -> Integers:
        return np.asarray(self.entity_chunk_counts[entities], dtype=np.int64)

    def about(self, chunks: Integers) -> Integers:
        return np.asarray(self.about_entity[chunks], dtype=np.int64)

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        return neighbours(self.about_starts, self.about_chunks, entities, limit)

    def incidence(self, way: Way) -> tuple[Integers, Integers]:
        """Return the CSR arrays of one direction: starts and targets."""
        match way:
            case "fact_entities":
                return self.fact_entity_starts, self.fact_entities
            case "entity_facts":
                return self.entity_fact_starts, self.entity_facts
            case "fact_chunks":
                return self.fact_chunk_starts, self.fact_chunks
            case "chunk_facts":
                return self.chunk_fact_starts, self.chunk_facts

    @cached_property
    def _ids(self) -> dict[Side, Integers]:
        return {"entity": self.entity_ids, "fact": self.fact_ids, "chunk": self.chunk_ids}

    @cached_property
    def _orders(self) -> dict[Side, Integers]:
        """Permutations that sort the primary keys of each side."""
        return {side: np.argsort(keys) for side, keys in self._ids.items()}
