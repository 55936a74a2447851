"""The hierarchy of one committed state as arrays: current summaries and communities, vectors and memberships.

The arrays are small beside those of facts, so they are rebuilt from the tables whenever the state changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyadic.storage.arrays.filter_view import FilteredState
from polyadic.storage.arrays.recent_values import RecentValues
from polyadic.storage.arrays.row_map import find
from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyMembers
from polyadic.storage.incidence import DIGEST, DIGEST_BYTES, Digests, Floats, Incidence, Integers, Mask
from polyadic.storage.records import Rows
from polyadic.storage.sql import change_log
from polyadic.storage.sql.half_precision import kept, widened
from polyadic.storage.sql.hierarchy_records import COMMUNITY
from polyadic.storage.sql.hierarchy_tables import GENERATION
from polyadic.storage.sql.meta import dimension_of, metas

Numbering = Callable[[Connection], tuple[Integers, int]]
"""Returns the row of each entity, in the order of identifiers, and an upper bound of rows (exclusive)."""


def in_order(connection: Connection) -> tuple[Integers, int]:
    """Number entity rows in the order of identifiers."""
    (size,) = connection.execute("SELECT count(*) FROM entity").fetchone()
    return np.arange(size), size


@dataclass(frozen=True, slots=True)
class Groups:
    """Summaries, or communities with reports: groups of entities and summaries, in the order of identifiers.

    Attributes
    ----------
    keys
        Primary keys.
    entities, summaries
        Members of each group.
    of_entities, of_summaries
        Groups of each entity and summary.
    """

    keys: Integers
    entities: Incidence
    summaries: Incidence
    of_entities: Incidence
    of_summaries: Incidence

    @classmethod
    def of(cls, keys: Integers, entities: Incidence, summaries: Incidence, sizes: tuple[int, int]) -> Self:
        """Derive the groups of entities and summaries, of which there are so many."""
        return cls(keys, entities, summaries, entities.transposed(sizes[0]), summaries.transposed(sizes[1]))

    def members(self, rows: Rows) -> HierarchyMembers:
        return HierarchyMembers(self.entities.links(rows), self.summaries.links(rows))

    def within(self, rows: Mask, summaries: Mask) -> "Groups":
        """Select groups and summaries by masks, and renumber them."""
        sizes = self.of_entities.rows, int(summaries.sum())
        return Groups.of(self.keys[rows], self.entities.within(rows), self.summaries.within(rows, summaries), sizes)


@dataclass(frozen=True, slots=True)
class HierarchyArrays:
    """Summaries with their vectors, shape (n, d), and communities; entity rows are the reader's.

    ``visible`` are the primary keys of the clusters and communities that a document filter leaves.
    """

    summaries: Groups
    vectors: Floats
    communities: Groups
    visible: frozenset[int] | None = None

    @classmethod
    def build(cls, connection: Connection, numbering: Numbering) -> Self:
        """Read the arrays from the tables in the connection's transaction."""
        summaries = connection.execute(
            "SELECT s.id, s.digest, s.members, v.data FROM summary s JOIN vector v ON v.id = s.vector ORDER BY s.digest"
        ).fetchall()
        communities = connection.execute(
            "SELECT id, members FROM hierarchy_node WHERE kind = ? AND report IS NOT NULL ORDER BY digest", (COMMUNITY,)
        ).fetchall()
        # Without a hierarchy the entity digests are not needed.
        entities = _digests(connection, "entity") if summaries or communities else _packed([])
        known = _packed([digest for _, digest, _, _ in summaries])
        rows, size = numbering(connection)

        def groups(keys: Sequence[int], packed: Sequence[bytes]) -> Groups:
            members = _pairs(packed, entities).renumbered(rows), _pairs(packed, known)
            return Groups.of(np.array(keys, dtype=np.int64), *members, (size, len(known)))

        return cls(
            groups([key for key, *_ in summaries], [members for _, _, members, _ in summaries]),
            widened(kept([data for *_, data in summaries], dimension_of(connection))),
            groups([key for key, _ in communities], [members for _, members in communities]),
        )


@dataclass(frozen=True, slots=True)
class HierarchyProvenance:
    """What all clusters and communities depend on, by which the hierarchy is filtered.

    Attributes
    ----------
    keys
        Primary keys of the table ``hierarchy_node``.
    grounds
        Members and sources of each: entities, facts and summaries are numbered consecutively, in the order of
        identifiers.
    complete
        Masks those whose members and sources all still exist.
    summary_keys
        Primary keys of the table ``summary``.
    clusters
        For each summary, the index of its cluster in ``keys``.
    """

    keys: Integers
    grounds: Incidence
    complete: Mask
    summary_keys: Integers
    clusters: Integers

    @classmethod
    def build(cls, connection: Connection) -> Self:
        """Read from the tables in the connection's transaction."""
        nodes = connection.execute("SELECT id, members, sources FROM hierarchy_node ORDER BY id").fetchall()
        summaries = connection.execute("SELECT id, node FROM summary ORDER BY digest").fetchall()
        keys = np.array([key for key, _, _ in nodes], dtype=np.int64)
        packed = [members + sources for _, members, sources in nodes]
        known = np.concatenate([_digests(connection, table) for table in ("entity", "fact", "summary")])
        order = np.argsort(known)
        grounds = _pairs(packed, known[order]).renumbered(order)
        return cls(
            keys,
            grounds,
            np.equal(grounds.sizes, [len(one) // DIGEST_BYTES for one in packed]),
            np.array([key for key, _ in summaries], dtype=np.int64),
            np.searchsorted(keys, np.array([node for _, node in summaries], dtype=np.int64)),
        )

    def filtered(self, arrays: HierarchyArrays, entities: Mask, facts: Mask) -> HierarchyArrays:
        """Return the part of the hierarchy that depends on these entities and facts only, also via summaries."""
        inside, before = self.complete, -1
        while before != (before := int(inside.sum())):
            visible = np.concatenate([entities, facts, inside[self.clusters]])
            inside = inside & (self.grounds.count(~visible) == 0)
        summaries = np.isin(arrays.summaries.keys, self.summary_keys[inside[self.clusters]])
        communities = np.isin(arrays.communities.keys, self.keys[inside])
        return HierarchyArrays(
            arrays.summaries.within(summaries, summaries),
            arrays.vectors[summaries],
            arrays.communities.within(communities, summaries),
            frozenset(self.keys[inside].tolist()),
        )


class HierarchyCache:
    """The hierarchy of the state that was read last, as a whole and with the filters that were used last."""

    def __init__(self, numbering: Numbering = in_order) -> None:
        self._numbering = numbering
        self._arrays = RecentValues[None, HierarchyArrays]()
        self._provenance = RecentValues[None, HierarchyProvenance]()
        self._filtered = RecentValues[frozenset[str], HierarchyArrays]()

    def arrays(self, connection: Connection) -> HierarchyArrays:
        """Return the arrays of the connection's state."""
        state = _state(connection)
        return self._arrays.get(state, None, lambda: HierarchyArrays.build(connection, self._numbering))

    def within(self, connection: Connection, view: FilteredState) -> HierarchyArrays:
        """Return the part that depends only on the documents of a view of the connection's state."""
        state, arrays = _state(connection), self.arrays(connection)
        provenance = self._provenance.get(state, None, lambda: HierarchyProvenance.build(connection))
        entities, facts = view.whole["entity"], view.whole["fact"]
        return self._filtered.get(state, view.documents, lambda: provenance.filtered(arrays, entities, facts))


def _state(connection: Connection) -> tuple[str, ...]:
    return tuple(metas(connection, (change_log.GENERATION, GENERATION)))


def _digests(connection: Connection, table: str) -> Digests:
    """Return the digests of a table, sorted; those of entities and facts are in the row order of the arrays."""
    return _packed([digest for (digest,) in connection.execute(f"SELECT digest FROM {table} ORDER BY digest")])


def _pairs(packed: Sequence[bytes], known: Digests) -> Incidence:
    """Link each packed list of digests to the positions of its digests in ``known`` (sorted), omitting unknown ones."""
    owners = np.repeat(np.arange(len(packed)), np.array([len(one) // DIGEST_BYTES for one in packed], dtype=np.int64))
    places = find(known, _packed(packed))
    return Incidence.of(owners[places >= 0], places[places >= 0], len(packed))


def _packed(digests: Sequence[bytes]) -> Digests:
    return np.frombuffer(b"".join(digests), dtype=DIGEST)
