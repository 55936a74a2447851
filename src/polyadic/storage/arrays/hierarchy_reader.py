"""Search the hierarchy of one committed state of a store."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from polyadic.model.hierarchy import Community, Summary
from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.matmul import multiply
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.hierarchy import HierarchyMembers
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.sql.hierarchy_records import communities_of, summaries_of
from polyadic.storage.sql.meta import other_vectors


class SqlHierarchyReader:
    """Hierarchy reader in an open transaction; implements :class:`polyadic.storage.hierarchy.HierarchyReader`."""

    def __init__(
        self,
        connection: Connection,
        arrays: HierarchyArrays,
        rows: Callable[[NodeType, Sequence[int]], Rows],
    ) -> None:
        self._connection = connection
        self._arrays = arrays
        self._rows_of = rows

    @property
    def summary_count(self) -> int:
        return len(self._arrays.summaries.keys)

    @property
    def community_count(self) -> int:
        return len(self._arrays.communities.keys)

    def nearest(self, vector: Vectors, k: int) -> Hits:
        cosines = _cosines(self._arrays.vectors, vector[None, :])[0]
        return best_of(np.arange(len(cosines)), cosines, k)

    def similarity(self, summaries: Rows, vectors: Vectors) -> Vectors:
        return _cosines(self._arrays.vectors[summaries], vectors)

    def summaries_of(self, entities: Rows) -> Links:
        return self._arrays.summaries.of_entities.links(entities)

    def above(self, summaries: Rows) -> Links:
        return self._arrays.summaries.of_summaries.links(summaries)

    def covered(self, summaries: Rows) -> HierarchyMembers:
        return self._arrays.summaries.members(summaries)

    def communities_of(self, entities: Rows, summaries: Rows) -> Rows:
        communities = self._arrays.communities
        of_entities, _ = communities.of_entities.neighbours(entities)
        return np.union1d(of_entities, communities.of_summaries.neighbours(summaries)[0])

    def held(self, communities: Rows) -> HierarchyMembers:
        return self._arrays.communities.members(communities)

    def summaries(self, rows: Rows) -> list[Summary]:
        return summaries_of(self._connection, self._arrays.summaries.keys[rows].tolist())

    def communities(self, rows: Rows) -> list[Community]:
        return communities_of(self._connection, self._arrays.communities.keys[rows].tolist(), self._arrays.visible)

    def facts(self, identifiers: Sequence[str]) -> Rows:
        return self._rows("fact", identifiers)

    def entities(self, identifiers: Sequence[str]) -> Rows:
        return self._rows("entity", identifiers)

    def _rows(self, node_type: Literal["fact", "entity"], identifiers: Sequence[str]) -> Rows:
        digests = [bytes.fromhex(identifier) for identifier in identifiers]
        keys = dict(select_in(self._connection, f"SELECT digest, id FROM {node_type} WHERE digest {{any_of}}", digests))
        return self._rows_of(node_type, [keys[digest] for digest in digests])


def _cosines(summaries: Vectors, vectors: Vectors) -> Vectors:
    if not len(summaries):
        return np.zeros((len(vectors), 0), dtype=np.float32)
    if vectors.shape[1] != summaries.shape[1]:
        raise other_vectors(vectors.shape[1], summaries.shape[1])
    return multiply(vectors, summaries)
