"""Statistics and incidence of one committed state as arrays.

Array positions are the rows of the storage protocol. They follow the order of public identifiers, so that ties are
broken in the same way whatever the history of a store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyadic.storage.arrays.protocol import Way
from polyadic.storage.incidence import Floats, Incidence, Integers
from polyadic.storage.records import NodeType, ScoredNodeType

_DEGREES: Mapping[NodeType, Way] = {"entity": "entity_facts", "fact": "fact_entities", "chunk": "chunk_facts"}


@dataclass(frozen=True)
class ArraySnapshot:
    """Arrays of one state; implements :class:`polyadic.storage.arrays.protocol.Arrays`.

    Attributes
    ----------
    keys
        Primary keys by node type.
    row_scores
        Scores of entities and facts.
    chunk_counts
        Number of chunks in which each entity occurs.
    chunk_order
        Rank of each chunk in document order.
    titles
        Row of the entity that the title of each chunk's document names; -1 if there is none.
    topics
        Row of the topic entity of each chunk; -1 if there is none. Computed from the other arrays (topic_entities.py),
        as is ``chunks_by_topic``.
    chunks_by_topic
        Chunks about each entity, in document order.
    incidence
        Neighbours in ascending order, by direction.
    """

    keys: Mapping[NodeType, Integers]
    row_scores: Mapping[ScoredNodeType, Floats]
    chunk_counts: Integers
    chunk_order: Integers
    titles: Integers
    topics: Integers
    chunks_by_topic: Incidence
    incidence: Mapping[Way, Incidence]

    @property
    def participations(self) -> int:
        return len(self.incidence["fact_entities"].targets)

    def size(self, node_type: NodeType) -> int:
        return len(self.keys[node_type])

    def ids(self, node_type: NodeType, rows: Integers) -> Integers:
        return np.asarray(self.keys[node_type][rows], dtype=np.int64)

    def rows(self, node_type: NodeType, ids: Sequence[int] | Integers) -> Integers:
        keys, order = self.keys[node_type], self._orders[node_type]
        return np.asarray(order[np.searchsorted(keys, np.asarray(ids, dtype=np.int64), sorter=order)], dtype=np.int64)

    def linked(self, way: Way, rows: Integers, limit: int | None = None) -> tuple[Integers, Integers]:
        return self.incidence[way].neighbours(rows, limit)

    def degrees(self, node_type: NodeType, rows: Integers) -> Integers:
        starts = self.incidence[_DEGREES[node_type]].starts
        return np.asarray(starts[rows + 1] - starts[rows], dtype=np.int64)

    def scores(self, node_type: ScoredNodeType, rows: Integers) -> Floats:
        return np.asarray(self.row_scores[node_type][rows], dtype=np.float32)

    def chunk_frequency(self, entities: Integers) -> Integers:
        return np.asarray(self.chunk_counts[entities], dtype=np.int64)

    def about(self, chunks: Integers) -> Integers:
        return np.asarray(self.topics[chunks], dtype=np.int64)

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        return self.chunks_by_topic.neighbours(entities, limit)

    @cached_property
    def _orders(self) -> dict[NodeType, Integers]:
        """Permutations that sort the primary keys of each node type."""
        return {node_type: np.argsort(keys) for node_type, keys in self.keys.items()}
