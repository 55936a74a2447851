"""One committed state as its base and the tails of what has changed since: as exact as arrays made afresh.

Nothing of the base is copied. Rows that have changed are hidden in it, neighbours are carried over as they are asked
for. A pair of a fact and an entity is known from the fact, one of a fact and a chunk from the chunk.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Floats, Integers, limited
from polyadic.storage.memory.base_segment import BaseSegment
from polyadic.storage.memory.delta_segment import DeltaSegment
from polyadic.storage.memory.delta_topics import DeltaTopics
from polyadic.storage.memory.matrix import Matrix
from polyadic.storage.memory.protocol import Way
from polyadic.storage.memory.row_map import RowMap
from polyadic.storage.memory.row_vectors import RowVectors, SegmentValues
from polyadic.storage.protocol import Side
from polyadic.storage.sql.change_log import ChangeSet

SIDES: tuple[Side, ...] = ("entity", "fact", "chunk")
_ENDS: Mapping[Way, tuple[Side, Side]] = {
    "fact_entity": ("fact", "entity"),
    "entity_fact": ("entity", "fact"),
    "fact_chunk": ("fact", "chunk"),
    "chunk_fact": ("chunk", "fact"),
}

_NONE = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class StoreState:
    """Implements :class:`polyadic.storage.memory.protocol.Arrays`; ``name`` and ``number`` as in the table of
    states."""

    name: str
    number: int
    base: BaseSegment
    tails: Mapping[Side, DeltaSegment]

    @classmethod
    def of(cls, name: str, number: int, base: BaseSegment) -> Self:
        """The state that the base was made of."""
        return cls(name, number, base, {side: DeltaSegment.empty() for side in SIDES})

    def brought_forward(self, connection: Connection, name: str, number: int) -> "StoreState":
        """The state that the connection reads, which comes after this one; only once, because stacks are grown."""
        touched = ChangeSet.since(connection, self.number).rows
        tails = {side: self.tails[side].brought_forward(connection, self.base, side, touched[side]) for side in SIDES}
        return StoreState(name, number, self.base, tails)

    @property
    def changed(self) -> int:
        """How many rows differ from the base, of all sides."""
        return sum(len(tail.rows) for tail in self.tails.values()) + sum(
            len(placement.removed) for placement in self.placements.values()
        )

    @cached_property
    def placements(self) -> Mapping[Side, RowMap]:
        return {side: tail.placement(self.base, side) for side, tail in self.tails.items()}

    # numbers

    @property
    def participations(self) -> int:
        s, dead = self.base.snapshot, self.placements["fact"].dead
        gone = 0 if dead is None else int(s.degrees("fact", np.flatnonzero(dead)).sum())
        return s.participations - gone + int(self.tails["fact"].rows["degree"].sum())

    def size(self, side: Side) -> int:
        return self.placements[side].size

    def ids(self, side: Side, rows: Integers) -> Integers:
        return self._told(side, rows, "id", lambda bases: self.base.snapshot.ids(side, bases))

    def rows(self, side: Side, ids: Sequence[int] | Integers) -> Integers:
        wanted = np.asarray(ids, dtype=np.int64)
        placement = self.placements[side]
        if not len(self.tails[side].rows):
            return placement.rows_of_base(self.base.find(side, wanted))
        tail = self.tails[side].find(wanted)
        rows = np.empty(len(wanted), dtype=np.int64)
        here, there = (tail < 0).nonzero()[0], (tail >= 0).nonzero()[0]
        rows[here] = placement.rows_of_base(self.base.find(side, wanted[here]))
        rows[there] = placement.rows_of_tail[tail[there]]
        return rows

    def degrees(self, side: Side, rows: Integers) -> Integers:
        return self._told(side, rows, "degree", lambda bases: self.base.snapshot.degrees(side, bases))

    def scores(self, side: Literal["entity", "fact"], rows: Integers) -> Floats:
        return self._told(side, rows, "score", lambda bases: self.base.snapshot.scores(side, bases))

    def all_scores(self, side: Literal["entity", "fact"]) -> SegmentValues:
        s = self.base.snapshot
        return SegmentValues(s.entity_scores if side == "entity" else s.fact_scores, self.tails[side].rows["score"])

    def spread(self, entities: Integers) -> Integers:
        return self._told("entity", entities, "spread", self.base.snapshot.spread)

    # neighbours

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        if all(self.placements[side].dead is None for side in _ENDS[way]):
            return self.base.snapshot.linked(way, rows, limit)
        told = way in ("fact_entity", "chunk_fact")
        here, there = self._told_by_rows(way, rows) if told else self._told_by_targets(way, rows)
        targets, owners = here
        if len(there[0]):
            targets, owners = (np.concatenate(pair) for pair in zip(here, there, strict=True))
            order = np.lexsort((targets, owners))
            targets, owners = targets[order], owners[order]
        if limit is not None:
            kept = limited(owners, limit)
            targets, owners = targets[kept], owners[kept]
        return targets, owners

    def about(self, chunks: Integers) -> Integers:
        return self._subjects.about(chunks)

    def chunks_about(self, entities: Integers, limit: int) -> tuple[Integers, Integers]:
        return self._subjects.chunks_about(entities, limit)

    def titles(self, chunks: Integers) -> Integers:
        """The entity that names each chunk's document, -1 where none does."""
        return self._subjects.titles(chunks)

    def standing(self, chunks: Integers) -> tuple[NDArray[Any], ...]:
        """Keys that sort chunks (np.lexsort) in the order of documents."""
        return self._subjects.standing(chunks)

    # vectors

    def vectors(self, side: Side) -> RowVectors:
        return self._vectors[side]

    # steps of the above

    @cached_property
    def _vectors(self) -> Mapping[Side, RowVectors]:
        b = self.base
        kept: Mapping[Side, tuple[Integers | None, Integers | None, Matrix]] = {
            "entity": (b.form_starts, b.form_owners, b.form_vectors),
            "fact": (None, None, b.fact_vectors),
            "chunk": (b.window_starts, b.window_owners, b.window_vectors),
        }
        return {
            side: RowVectors(*kept[side], self.tails[side], self.placements[side], b.codes.get(side)) for side in SIDES
        }

    @cached_property
    def _subjects(self) -> DeltaTopics:
        return DeltaTopics.of(self, self.base, self.tails, self.placements)

    def _told(
        self, side: Side, rows: Integers, column: str, of_base: Callable[[Integers], NDArray[Any]]
    ) -> NDArray[Any]:
        """A number of each row, as its tail tells it or, where it has none, its base."""
        if self.placements[side].dead is None:
            return of_base(rows)
        return self._told_at(side, *self.placements[side].locate(rows), column, of_base)

    def _told_at(
        self, side: Side, bases: Integers, tail: Integers, column: str, of_base: Callable[[Integers], NDArray[Any]]
    ) -> NDArray[Any]:
        there = (tail >= 0).nonzero()[0]
        if not len(there):
            return of_base(bases)
        told = self.tails[side].rows[column][np.maximum(tail, 0)]
        here = (tail < 0).nonzero()[0]
        told[here] = of_base(bases[here])
        return told

    def _told_by_rows(self, way: Way, rows: Integers) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
        """Neighbours as the base has them, and as the tail has them, of rows that tell their neighbours."""
        source, target = _ENDS[way]
        bases, tail = self.placements[source].locate(rows)
        here, there = (tail < 0).nonzero()[0], (tail >= 0).nonzero()[0]
        if not len(there):
            found, owners = self.base.snapshot.linked(way, bases)
            return (self.placements[target].rows_of_base(found), owners), _NONE
        found, owners = self.base.snapshot.linked(way, bases[here])
        keys, others = self.tails[source].linked(tail[there])
        of_base = self.placements[target].rows_of_base(found)
        return (of_base, here[owners]), (self.rows(target, keys), there[others])

    def _told_by_targets(self, way: Way, rows: Integers) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
        """Neighbours as the base has them, and as the tail has them, of rows that their neighbours tell."""
        source, target = _ENDS[way]
        bases, tail = self.placements[source].locate(rows)
        here = (bases >= 0).nonzero()[0]
        found, owners = self.base.snapshot.linked(way, bases[here])
        dead = self.placements[target].dead
        if dead is not None:
            found, owners = found[~dead[found]], owners[~dead[found]]
        ids = self._told_at(source, bases, tail, "id", lambda known: self.base.snapshot.ids(source, known))
        telling, others = self.tails[target].linking(ids)
        of_base = self.placements[target].rows_of_base(found)
        return (of_base, here[owners]), (self.placements[target].rows_of_tail[telling], others)
