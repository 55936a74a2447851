"""Search the hierarchy of one committed state of a store."""

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import numpy as np

from polyadic.model.hierarchy import Community, Summary
from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays
from polyadic.storage.arrays.matmul import multiply
from polyadic.storage.arrays.top_k import best
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.hierarchy import HierarchyMembers
from polyadic.storage.protocol import Hits, Links, NodeType, Rows, Vectors
from polyadic.storage.sql.hierarchy_records import communities_of, summaries_of
from polyadic.storage.sql.meta import other_vectors


class SqlHierarchyReader:
    """Hierarchy reader in an open transaction; implements :class:`polyadic.storage.hierarchy.HierarchyReader`.

    ``only`` are the primary keys of the visible clusters and communities, or None if all are visible.
    """

    def __init__(
        self,
        connection: Connection,
        arrays: HierarchyArrays,
        rows: Callable[[NodeType, Sequence[int]], Rows],
        only: Collection[int] | None = None,
    ) -> None:
        self._connection = connection
        self._arrays = arrays
        self._rows_of = rows
        self._only = only

    @property
    def summary_count(self) -> int:
        return len(self._arrays.summary_keys)

    @property
    def community_count(self) -> int:
        return len(self._arrays.community_keys)

    def nearest(self, vector: Vectors, k: int) -> Hits:
        return best(_cosines(self._arrays.summary_vectors, vector[None, :])[0], k)

    def similarity(self, summaries: Rows, vectors: Vectors) -> Vectors:
        return _cosines(self._arrays.summary_vectors[summaries], vectors)

    def summaries_of(self, entities: Rows) -> Links:
        return self._arrays.covering.entities.links(entities)

    def above(self, summaries: Rows) -> Links:
        return self._arrays.covering.summaries.links(summaries)

    def covered(self, summaries: Rows) -> HierarchyMembers:
        return self._arrays.covers.links(summaries)

    def communities_of(self, entities: Rows, summaries: Rows) -> Rows:
        holding = self._arrays.holding
        found = (holding.entities.links(entities), holding.summaries.links(summaries))
        return np.unique(np.concatenate([links.targets for links in found]))

    def held(self, communities: Rows) -> HierarchyMembers:
        return self._arrays.holds.links(communities)

    def summaries(self, rows: Rows) -> list[Summary]:
        return summaries_of(self._connection, self._arrays.summary_keys[rows].tolist())

    def communities(self, rows: Rows) -> list[Community]:
        return communities_of(self._connection, self._arrays.community_keys[rows].tolist(), self._only)

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
