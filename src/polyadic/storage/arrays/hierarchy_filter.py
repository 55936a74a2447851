"""Filter the hierarchy to the parts that depend on selected documents only."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays, digests_of, pairs
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST_BYTES, Incidence, Integers, Mask


@dataclass(frozen=True, slots=True)
class HierarchyProvenance:
    """The sources and members of every cluster and community; rows are those of the snapshot.

    ``keys`` are primary keys of the table ``hierarchy_node``; ``whole`` masks those whose sources all still exist.
    ``summary_keys`` are primary keys of the table ``summary``, ``clusters`` the index in ``keys`` of each summary's
    cluster.
    """

    keys: Integers
    whole: Mask
    entities: Incidence
    facts: Incidence
    summaries: Incidence
    summary_keys: Integers
    clusters: Integers

    @classmethod
    def build(cls, connection: Connection) -> Self:
        """Read from the tables in the connection's transaction."""
        nodes = connection.execute("SELECT id, members, sources FROM hierarchy_node ORDER BY id").fetchall()
        keys = np.array([key for key, _, _ in nodes], dtype=np.int64)
        packed = [members + sources for _, members, sources in nodes]
        entities, facts, known = (
            pairs(packed, digests_of(connection, table)) for table in ("entity", "fact", "summary")
        )
        summaries = connection.execute("SELECT id, node FROM summary ORDER BY digest").fetchall()
        source_counts = entities.sizes + facts.sizes + known.sizes
        return cls(
            keys,
            np.equal(source_counts, [len(grounds) // DIGEST_BYTES for grounds in packed]),
            entities,
            facts,
            known,
            np.array([key for key, _ in summaries], dtype=np.int64),
            np.searchsorted(keys, np.array([node for _, node in summaries], dtype=np.int64)),
        )

    def inside(self, entities: Mask, facts: Mask) -> Mask:
        """Mask the clusters and communities that depend on these entities and facts only, also via summaries."""
        inside: Mask = self.whole & (self.entities.count(~entities) == 0) & (self.facts.count(~facts) == 0)
        before = -1
        while before != (before := int(inside.sum())):
            inside &= self.summaries.count(~inside[self.clusters]) == 0
        return inside


@dataclass(frozen=True, slots=True)
class FilteredHierarchy:
    """The visible hierarchy: its arrays, and the primary keys of all visible clusters and communities."""

    arrays: HierarchyArrays
    keys: frozenset[int]


def scoped(arrays: HierarchyArrays, grounds: HierarchyProvenance, entities: Mask, facts: Mask) -> FilteredHierarchy:
    """Filter the hierarchy to what depends on these entities and facts only."""
    inside = grounds.inside(entities, facts)
    keys = grounds.keys[inside]
    summaries = np.isin(arrays.summary_keys, grounds.summary_keys[inside[grounds.clusters]])
    return FilteredHierarchy(
        arrays.within(summaries, np.isin(arrays.community_keys, keys)),
        frozenset(keys.tolist()),
    )
