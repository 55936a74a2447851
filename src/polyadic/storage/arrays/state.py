"""One committed state as a base and what has changed since, exactly equal to arrays built from scratch.

The base is never copied. Its changed rows are hidden, and neighbours are mapped to current rows on access. Fact-entity
pairs are stored with the fact, fact-chunk pairs with the chunk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from polyadic.storage.arrays.base import Base
from polyadic.storage.arrays.loader import decided_titles, load
from polyadic.storage.arrays.segments import NodeRows
from polyadic.storage.arrays.topic_entities import UpdatedTopics, contenders, highest_scored
from polyadic.storage.arrays.vector_search import RowVectors
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Floats, Incidence, Integers, limited
from polyadic.storage.records import WAYS, DegreeWay, IncidenceWay, Links, LinkWay, NodeType, ScoredNodeType
from polyadic.storage.sql.change_log import touched_since


@dataclass(frozen=True)
class StoreState:
    """Arrays of a state. Rows follow the order of public identifiers, so that ties never depend on a store's history.

    ``name`` and ``number`` are those in the table ``change_log``.
    """

    name: str
    number: int
    base: Base
    nodes: Mapping[NodeType, NodeRows]
    vectors: Mapping[NodeType, RowVectors]

    @classmethod
    def of(cls, name: str, number: int, base: Base) -> Self:
        """Create the state that the base was built from."""
        nodes = {node_type: NodeRows.of(segment) for node_type, segment in base.segments.items()}
        return cls(name, number, base, nodes, _vectors(nodes))

    def brought_forward(self, connection: Connection, name: str, number: int) -> "StoreState":
        """Advance to the connection's later state. Call it once only: the states share buffers of vectors."""
        touched = touched_since(connection, self.number)
        decided = decided_titles(connection) if len(touched["chunk"]) else {}
        nodes = dict(self.nodes)
        for node_type, ids in touched.items():
            if len(ids):
                loaded = load(connection, node_type, ids.tolist(), decided)
                nodes[node_type] = nodes[node_type].updated(ids, loaded)
        return StoreState(name, number, self.base, nodes, _vectors(nodes))

    @property
    def changed(self) -> int:
        """The number of rows of all node types that differ from the base."""
        return sum(one.row_map.changed for one in self.nodes.values())

    # Row statistics

    @property
    def participations(self) -> int:
        facts, pairs = self.nodes["fact"], len(self.base.incidence["fact_entities"].targets)
        gone = facts.base.columns["degree"][facts.row_map.hidden]
        return int(pairs - gone.sum() + facts.delta.columns["degree"].sum())

    def size(self, node_type: NodeType) -> int:
        return self.nodes[node_type].row_map.size

    def ids(self, node_type: NodeType, rows: Integers) -> Integers:
        return self.nodes[node_type].column("id", rows)

    def rows(self, node_type: NodeType, ids: Sequence[int] | Integers) -> Integers:
        return self.nodes[node_type].rows(np.asarray(ids, dtype=np.int64))

    def degrees(self, way: DegreeWay, rows: Integers) -> Integers:
        """Count the neighbours of each row."""
        if way == "entity_chunks":
            return self.nodes["entity"].column("chunks", rows)
        return self.nodes[WAYS[way][0]].column("degree", rows)

    def scores(self, node_type: ScoredNodeType, rows: Integers) -> Floats:
        return self.nodes[node_type].column("score", rows)

    # Incidence

    def links(self, way: LinkWay, rows: Integers, limit: int | None) -> Links:
        """Return the neighbours of each row, at most ``limit`` each."""
        if way == "chunk_topic":
            topics = self._topics.about(rows)
            return Links(rows[topics >= 0], topics[topics >= 0])
        if way == "topic_chunks":
            targets, owners = self._topics.chunks_about(rows, limit)
        else:
            targets, owners = self.linked(way, rows, limit)
        return Links(rows[owners], targets)

    def linked(self, way: IncidenceWay, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        """Return the neighbours of each row in ascending order, and for each neighbour the index of its row."""
        source, target = (self.nodes[node_type] for node_type in WAYS[way])
        if source.row_map.is_identity and target.row_map.is_identity:
            return self.base.incidence[way].neighbours(rows, limit)
        is_forward = way in ("fact_entities", "chunk_facts")
        bases = source.row_map.in_base(source.row_map.positions(rows))
        in_base = (bases >= 0).nonzero()[0]
        targets, owners = self.base.incidence[way].neighbours(bases[in_base])
        # A pair is stored with its fact or, if it is of a fact and a chunk, with its chunk; it is current if that is.
        side, positions = (source, bases[in_base[owners]]) if is_forward else (target, targets)
        current = side.row_map.is_current(positions)
        changed, others = side.delta.linked(source.column("id", rows), is_forward)
        targets, owners = target.row_map.rows(targets[current]), in_base[owners[current]]
        if len(others):
            targets, owners = np.append(targets, target.rows(changed)), np.append(owners, others)
            order = np.lexsort((targets, owners))
            targets, owners = targets[order], owners[order]
        if limit is None:
            return targets, owners
        kept = limited(owners, limit)
        return targets[kept], owners[kept]

    @cached_property
    def flat(self) -> Base:
        """The arrays that a build from the tables would give, without topic entities; vectors by place of the state."""
        if not self.changed:
            return self.base
        segments = {node_type: nodes.flat() for node_type, nodes in self.nodes.items()}
        return Base.of(segments, self._all_links("fact_entities"), self._all_links("chunk_facts"))

    @cached_property
    def _topics(self) -> UpdatedTopics:
        return UpdatedTopics.of(self.base, self.nodes, self)

    def _all_links(self, way: IncidenceWay) -> Incidence:
        size = self.size(WAYS[way][0])
        targets, owners = self.linked(way, np.arange(size))
        return Incidence.grouped(owners, targets, size)


def with_topics(base: Base) -> Base:
    """Compute the topic entities of a base from its other arrays."""
    state, chunk, entity = StoreState.of("", 0, base), base.segments["chunk"].columns, base.segments["entity"]
    topics = np.where(chunk["title"] >= 0, entity.find(chunk["title"]), -1)
    untitled = np.flatnonzero(topics < 0)
    owners, rivals = contenders(state, untitled)
    topics[untitled] = highest_scored(state, len(untitled), owners, rivals, rivals)
    is_contested = np.bincount(owners, minlength=len(untitled))[owners] > 1
    contested = Incidence.of(rivals[is_contested], untitled[owners[is_contested]], len(entity))
    chunks = np.flatnonzero(topics >= 0)
    chunks = chunks[np.lexsort((chunk["offset"][chunks], chunk["document"][chunks], topics[chunks]))]
    about = Incidence.grouped(topics[chunks], chunks, len(entity))
    return replace(base, incidence={**base.incidence, "topic_chunks": about, "contested": contested}, topics=topics)


def _vectors(nodes: Mapping[NodeType, NodeRows]) -> dict[NodeType, RowVectors]:
    return {node_type: RowVectors.of(one) for node_type, one in nodes.items()}
