"""One committed state as a base segment plus delta segments, exactly equal to arrays built from scratch.

The base is never copied. Its changed rows are masked, and neighbours are mapped to current rows on access. Fact-entity
pairs are stored with the fact, fact-chunk pairs with the chunk.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.base_segment import BaseSegment
from polyadic.storage.arrays.delta_segment import DeltaSegment
from polyadic.storage.arrays.delta_topics import DeltaTopics
from polyadic.storage.arrays.protocol import WAYS, Way
from polyadic.storage.arrays.row_map import RowMap
from polyadic.storage.arrays.row_vectors import RowVectors, SegmentValues
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Floats, Incidence, Integers, limited
from polyadic.storage.records import NODE_TYPES, NodeType, ScoredNodeType
from polyadic.storage.sql.change_log import touched_since

_NO_LINKS = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class StoreState:
    """Base and delta segments of a state; implements :class:`polyadic.storage.arrays.protocol.Arrays`.

    ``name`` and ``number`` are those in the table ``state``; ``deltas`` are the delta segments.
    """

    name: str
    number: int
    base: BaseSegment
    deltas: Mapping[NodeType, DeltaSegment]

    @classmethod
    def of(cls, name: str, number: int, base: BaseSegment) -> Self:
        """Create the state that the base was built from."""
        return cls(name, number, base, {node_type: DeltaSegment.empty() for node_type in NODE_TYPES})

    def brought_forward(self, connection: Connection, name: str, number: int) -> "StoreState":
        """Advance to the connection's later state. Call it once only: the growable arrays of the deltas are shared."""
        touched = touched_since(connection, self.number)
        deltas = {
            node_type: self.deltas[node_type].brought_forward(connection, self.base, node_type, touched[node_type])
            for node_type in NODE_TYPES
        }
        return StoreState(name, number, self.base, deltas)

    @property
    def changed(self) -> int:
        """The number of rows of all node types that differ from the base."""
        return sum(len(delta.rows) for delta in self.deltas.values()) + sum(
            len(row_map.removed) for row_map in self.row_maps.values()
        )

    @cached_property
    def row_maps(self) -> Mapping[NodeType, RowMap]:
        return {node_type: delta.row_map(self.base, node_type) for node_type, delta in self.deltas.items()}

    # Row statistics

    @property
    def participations(self) -> int:
        s, dead = self.base.snapshot, self.row_maps["fact"].dead
        gone = 0 if dead is None else int(s.degrees("fact", np.flatnonzero(dead)).sum())
        return s.participations - gone + int(self.deltas["fact"].rows["degree"].sum())

    def size(self, node_type: NodeType) -> int:
        return self.row_maps[node_type].size

    def ids(self, node_type: NodeType, rows: Integers) -> Integers:
        return self._column(node_type, rows, "id", lambda bases: self.base.snapshot.ids(node_type, bases))

    def rows(self, node_type: NodeType, ids: Sequence[int] | Integers) -> Integers:
        wanted = np.asarray(ids, dtype=np.int64)
        row_map = self.row_maps[node_type]
        if not len(self.deltas[node_type].rows):
            return row_map.rows_of_base(self.base.find(node_type, wanted))
        delta = self.deltas[node_type].find(wanted)
        rows = np.empty(len(wanted), dtype=np.int64)
        in_base, in_delta = (delta < 0).nonzero()[0], (delta >= 0).nonzero()[0]
        rows[in_base] = row_map.rows_of_base(self.base.find(node_type, wanted[in_base]))
        rows[in_delta] = row_map.rows_of_delta[delta[in_delta]]
        return rows

    def degrees(self, node_type: NodeType, rows: Integers) -> Integers:
        return self._column(node_type, rows, "degree", lambda bases: self.base.snapshot.degrees(node_type, bases))

    def scores(self, node_type: ScoredNodeType, rows: Integers) -> Floats:
        return self._column(node_type, rows, "score", lambda bases: self.base.snapshot.scores(node_type, bases))

    def all_scores(self, node_type: ScoredNodeType) -> SegmentValues:
        return SegmentValues(self.base.snapshot.row_scores[node_type], self.deltas[node_type].rows["score"])

    def chunk_frequency(self, entities: Integers) -> Integers:
        return self._column("entity", entities, "spread", self.base.snapshot.chunk_frequency)

    # Incidence

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        if all(self.row_maps[node_type].dead is None for node_type in WAYS[way]):
            return self.base.snapshot.linked(way, rows, limit)
        is_stored = way in ("fact_entities", "chunk_facts")
        in_base, in_delta = self._links_of_sources(way, rows) if is_stored else self._links_of_targets(way, rows)
        targets, owners = in_base
        if len(in_delta[0]):
            targets, owners = (np.concatenate(pair) for pair in zip(in_base, in_delta, strict=True))
            order = np.lexsort((targets, owners))
            targets, owners = targets[order], owners[order]
        if limit is not None:
            kept = limited(owners, limit)
            targets, owners = targets[kept], owners[kept]
        return targets, owners

    def about(self, chunks: Integers) -> Integers:
        return self._topics.about(chunks)

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        return self._topics.chunks_about(entities, limit)

    def titles(self, chunks: Integers) -> Integers:
        """Return the entity that the title of each chunk's document names, -1 if there is none."""
        return self._topics.titles(chunks)

    def sort_keys(self, chunks: Integers) -> tuple[NDArray[Any], ...]:
        """Return np.lexsort keys that sort chunks in document order."""
        return self._topics.sort_keys(chunks)

    @cached_property
    def flat(self) -> ArraySnapshot:
        """The snapshot (all but the vectors) that a build from the tables would give, for full scans."""
        if not self.changed:
            return self.base.snapshot
        rows = {node_type: np.arange(self.size(node_type)) for node_type in NODE_TYPES}
        entities, chunks = rows["entity"], rows["chunk"]
        order = np.empty(len(chunks), dtype=np.int64)
        order[np.lexsort(self.sort_keys(chunks))] = np.arange(len(chunks))
        about, topics = self.chunks_about(entities, len(chunks))
        linked = {way: (*self.linked(way, rows[source]), len(rows[source])) for way, (source, _) in WAYS.items()}
        return ArraySnapshot(
            keys={node_type: self.ids(node_type, rows[node_type]) for node_type in NODE_TYPES},
            row_scores={"entity": self.scores("entity", entities), "fact": self.scores("fact", rows["fact"])},
            chunk_counts=self.chunk_frequency(entities),
            chunk_order=order,
            titles=self.titles(chunks),
            topics=self.about(chunks),
            chunks_by_topic=Incidence.grouped(topics, about, len(entities)),
            incidence={
                way: Incidence.grouped(owners, targets, size) for way, (targets, owners, size) in linked.items()
            },
        )

    # Vectors

    def vectors(self, node_type: NodeType) -> RowVectors:
        return self._vectors[node_type]

    # Helpers

    @cached_property
    def _vectors(self) -> Mapping[NodeType, RowVectors]:
        b = self.base
        return {
            node_type: RowVectors(
                b.vector_starts.get(node_type),
                b.vector_owners.get(node_type),
                b.vectors[node_type],
                self.deltas[node_type],
                self.row_maps[node_type],
                b.codes.get(node_type),
            )
            for node_type in NODE_TYPES
        }

    @cached_property
    def _topics(self) -> DeltaTopics:
        return DeltaTopics.of(self, self.base, self.deltas, self.row_maps)

    def _column(
        self, node_type: NodeType, rows: Integers, column: str, of_base: Callable[[Integers], NDArray[Any]]
    ) -> NDArray[Any]:
        """Read a column from the delta, falling back to the base segment."""
        if self.row_maps[node_type].dead is None:
            return of_base(rows)
        return self._column_at(node_type, *self.row_maps[node_type].locate(rows), column, of_base)

    def _column_at(
        self,
        node_type: NodeType,
        bases: Integers,
        delta: Integers,
        column: str,
        of_base: Callable[[Integers], NDArray[Any]],
    ) -> NDArray[Any]:
        in_delta = (delta >= 0).nonzero()[0]
        if not len(in_delta):
            return of_base(bases)
        values = self.deltas[node_type].rows[column][np.maximum(delta, 0)]
        in_base = (delta < 0).nonzero()[0]
        values[in_base] = of_base(bases[in_base])
        return values

    def _links_of_sources(
        self, way: Way, rows: Integers
    ) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
        """Return base and delta neighbours of rows that store their own links (facts' entities, chunks' facts)."""
        source, target = WAYS[way]
        bases, delta = self.row_maps[source].locate(rows)
        in_base, in_delta = (delta < 0).nonzero()[0], (delta >= 0).nonzero()[0]
        if not len(in_delta):
            targets, owners = self.base.snapshot.linked(way, bases)
            return (self.row_maps[target].rows_of_base(targets), owners), _NO_LINKS
        targets, owners = self.base.snapshot.linked(way, bases[in_base])
        keys, others = self.deltas[source].linked(delta[in_delta])
        of_base = self.row_maps[target].rows_of_base(targets)
        return (of_base, in_base[owners]), (self.rows(target, keys), in_delta[others])

    def _links_of_targets(
        self, way: Way, rows: Integers
    ) -> tuple[tuple[Integers, Integers], tuple[Integers, Integers]]:
        """Return base and delta neighbours of rows whose links are stored with the neighbours."""
        source, target = WAYS[way]
        bases, delta = self.row_maps[source].locate(rows)
        in_base = (bases >= 0).nonzero()[0]
        targets, owners = self.base.snapshot.linked(way, bases[in_base])
        dead = self.row_maps[target].dead
        if dead is not None:
            targets, owners = targets[~dead[targets]], owners[~dead[targets]]
        ids = self._column_at(source, bases, delta, "id", lambda base_rows: self.base.snapshot.ids(source, base_rows))
        linking, others = self.deltas[target].linking(ids)
        of_base = self.row_maps[target].rows_of_base(targets)
        return (of_base, in_base[owners]), (self.row_maps[target].rows_of_delta[linking], others)
