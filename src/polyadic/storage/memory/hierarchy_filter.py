"""What of the hierarchy rests on some documents alone."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST_BYTES, Integers, Mask
from polyadic.storage.memory.hierarchy_arrays import HierarchyArrays, RowIncidence, digests_of, pairs


@dataclass(frozen=True, slots=True)
class HierarchyProvenance:
    """What every cluster and community rests on, by its words or as its member; rows as in the snapshot.

    ``keys`` are those of the table of themes; ``whole`` tells which of them rest on nothing that is no more.
    ``summary_keys`` are those of the table of summaries, ``clusters`` the places in ``keys`` of what they sum up.
    """

    keys: Integers
    whole: Mask
    entities: RowIncidence
    facts: RowIncidence
    summaries: RowIncidence
    summary_keys: Integers
    clusters: Integers

    @classmethod
    def build(cls, connection: Connection) -> Self:
        """Read out of the tables, within the transaction that the connection is in."""
        themes = connection.execute("SELECT id, members, sources FROM theme ORDER BY id").fetchall()
        keys = np.array([key for key, _, _ in themes], dtype=np.int64)
        packed = [members + sources for _, members, sources in themes]
        entities, facts, known = (
            pairs(packed, digests_of(connection, table)) for table in ("entity", "fact", "summary")
        )
        summaries = connection.execute("SELECT id, theme FROM summary ORDER BY digest").fetchall()
        there = np.diff(entities.starts) + np.diff(facts.starts) + np.diff(known.starts)
        return cls(
            keys,
            np.equal(there, [len(grounds) // DIGEST_BYTES for grounds in packed]),
            entities,
            facts,
            known,
            np.array([key for key, _ in summaries], dtype=np.int64),
            np.searchsorted(keys, np.array([theme for _, theme in summaries], dtype=np.int64)),
        )

    def inside(self, entities: Mask, facts: Mask) -> Mask:
        """Which themes rest on these entities and facts alone, be it through summaries."""
        inside = self.whole & ~_any(self.entities, ~entities) & ~_any(self.facts, ~facts)
        before = -1
        while before != (before := int(inside.sum())):
            inside &= ~_any(self.summaries, ~inside[self.clusters])
        return inside


@dataclass(frozen=True, slots=True)
class FilteredHierarchy:
    """What is left of the hierarchy: arrays of what is served, and the keys of all themes that may be seen."""

    arrays: HierarchyArrays
    keys: frozenset[int]


def scoped(arrays: HierarchyArrays, grounds: HierarchyProvenance, entities: Mask, facts: Mask) -> FilteredHierarchy:
    """The hierarchy where nothing may be told but of these entities and facts."""
    inside = grounds.inside(entities, facts)
    keys = grounds.keys[inside]
    summaries = np.isin(arrays.summary_keys, grounds.summary_keys[inside[grounds.clusters]])
    return FilteredHierarchy(
        arrays.within(summaries, np.isin(arrays.community_keys, keys)),
        frozenset(keys.tolist()),
    )


def _any(incidence: RowIncidence, wanted: Mask) -> Mask:
    """Which rows have a target among those wanted."""
    found = np.zeros(len(incidence.starts) - 1, dtype=bool)
    found[incidence.sources[wanted[incidence.targets]]] = True
    return found
