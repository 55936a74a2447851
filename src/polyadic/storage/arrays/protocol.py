"""Protocol for the statistics and incidence of one committed state.

Rows follow the order of public identifiers, so that ties are broken in the same way whatever the history of a store.
"""

from collections.abc import Mapping
from typing import Literal, Protocol

from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.records import DegreeWay, Links, LinkWay, NodeType, ScoredNodeType

Way = Literal["fact_entities", "entity_facts", "fact_chunks", "chunk_facts"]
"""Direction of an incidence: from the rows of one node type to their neighbours of another."""
WAYS: Mapping[Way, tuple[NodeType, NodeType]] = {
    "fact_entities": ("fact", "entity"),
    "entity_facts": ("entity", "fact"),
    "fact_chunks": ("fact", "chunk"),
    "chunk_facts": ("chunk", "fact"),
}
"""Sides of the rows and of their neighbours."""


class Arrays(Protocol):
    """Arrays of one state. Neighbours are returned as targets, and for each target the index of its row."""

    def size(self, node_type: NodeType) -> int:
        """Return the number of rows of one node type."""

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        """Return the neighbours of each row in ascending order, at most ``limit`` each."""

    def degrees(self, node_type: NodeType, rows: Integers) -> Integers:
        """Count the facts of each entity, the entities of each fact or the facts of each chunk."""

    def scores(self, node_type: ScoredNodeType, rows: Integers) -> Floats:
        """Return the score of each row."""

    def chunk_frequency(self, entities: Integers) -> Integers:
        """Count the chunks in which each entity occurs."""

    def about(self, chunks: Integers) -> Integers:
        """Return the topic entity of each chunk, -1 if there is none."""

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        """Return the chunks about each entity in document order, at most ``limit`` each."""


def degrees(arrays: Arrays, way: DegreeWay, rows: Integers) -> Integers:
    """Count the neighbours of each row on the other side."""
    return arrays.chunk_frequency(rows) if way == "entity_chunks" else arrays.degrees(WAYS[way][0], rows)


def links(arrays: Arrays, way: LinkWay, rows: Integers, limit: int | None) -> Links:
    """Return the neighbours of each row on the other side, at most ``limit`` each."""
    if way == "chunk_topic":
        topics = arrays.about(rows)
        return Links(rows[topics >= 0], topics[topics >= 0])
    neighbours, owners = arrays.chunks_about(rows, limit) if way == "topic_chunks" else arrays.linked(way, rows, limit)
    return Links(rows[owners], neighbours)
