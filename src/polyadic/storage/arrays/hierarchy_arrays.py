"""The hierarchy of one committed state as arrays: current summaries and communities, vectors and memberships.

The arrays are small beside the snapshot, so they are rebuilt from the tables whenever the state changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.connection import Connection
from polyadic.storage.hierarchy import HierarchyMembers
from polyadic.storage.incidence import DIGEST, DIGEST_BYTES, Floats, Incidence, Integers, Mask
from polyadic.storage.records import Rows
from polyadic.storage.sql.half_precision import kept, widened
from polyadic.storage.sql.hierarchy_records import COMMUNITY
from polyadic.storage.sql.meta import dimension_of

Numbering = Callable[[Connection], tuple[Integers, int]]
"""Returns the row of each entity, in the order of identifiers, and an upper bound of rows (exclusive)."""


def in_order(connection: Connection) -> tuple[Integers, int]:
    """Number entity rows in the order of identifiers."""
    (size,) = connection.execute("SELECT count(*) FROM entity").fetchone()
    return np.arange(size), size


@dataclass(frozen=True, slots=True)
class MemberIncidence:
    """Entities and summaries that belong to clusters' summaries, or to communities."""

    entities: Incidence
    summaries: Incidence

    def links(self, rows: Rows) -> HierarchyMembers:
        return HierarchyMembers(self.entities.links(rows), self.summaries.links(rows))

    def within(self, rows: Mask, summaries: Mask) -> "MemberIncidence":
        """Select rows and summaries by masks, and renumber them."""
        return MemberIncidence(self.entities.within(rows), self.summaries.within(rows, summaries))

    def transposed(self, entities: int, summaries: int) -> "MemberIncidence":
        """Turn the members, of which there are so many, into rows."""
        return MemberIncidence(self.entities.transposed(entities), self.summaries.transposed(summaries))


@dataclass(frozen=True)
class HierarchyArrays:
    """Summaries and communities with reports, each in the order of identifiers; entity rows are the reader's.

    Attributes
    ----------
    entities
        Upper bound of entity rows (exclusive).
    summary_keys, community_keys
        Primary keys.
    summary_vectors
        Vectors of the summaries, shape (n, d).
    covers
        What each summary covers.
    holds
        What each community contains.
    """

    entities: int
    summary_keys: Integers
    summary_vectors: Floats
    community_keys: Integers
    covers: MemberIncidence
    holds: MemberIncidence

    @classmethod
    def build(cls, connection: Connection, numbering: "Numbering") -> Self:
        """Read the arrays from the tables in the connection's transaction."""
        summaries = connection.execute(
            "SELECT s.id, s.digest, s.members, v.data FROM summary s JOIN vector v ON v.id = s.vector ORDER BY s.digest"
        ).fetchall()
        communities = connection.execute(
            "SELECT id, members FROM hierarchy_node WHERE kind = ? AND report IS NOT NULL ORDER BY digest", (COMMUNITY,)
        ).fetchall()
        # Without a hierarchy the entity digests are not needed.
        entities = digests_of(connection, "entity") if summaries or communities else _packed([])
        rows, size = numbering(connection)
        known = _packed([digest for _, digest, _, _ in summaries])

        def members_of(packed: Sequence[bytes]) -> MemberIncidence:
            return MemberIncidence(pairs(packed, entities).renumbered(rows), pairs(packed, known))

        return cls(
            size,
            np.array([key for key, *_ in summaries], dtype=np.int64),
            widened(kept([data for *_, data in summaries], dimension_of(connection))),
            np.array([key for key, _ in communities], dtype=np.int64),
            members_of([members for _, _, members, _ in summaries]),
            members_of([members for _, members in communities]),
        )

    @cached_property
    def covering(self) -> MemberIncidence:
        """The summaries that cover each entity and each summary."""
        return self.covers.transposed(self.entities, len(self.summary_keys))

    @cached_property
    def holding(self) -> MemberIncidence:
        """The communities that contain each entity and each summary."""
        return self.holds.transposed(self.entities, len(self.summary_keys))

    def within(self, summaries: Mask, communities: Mask) -> "HierarchyArrays":
        """Select summaries and communities by masks, and renumber them."""
        return HierarchyArrays(
            self.entities,
            self.summary_keys[summaries],
            self.summary_vectors[summaries],
            self.community_keys[communities],
            self.covers.within(summaries, summaries),
            self.holds.within(communities, summaries),
        )


def digests_of(connection: Connection, table: str) -> NDArray[np.bytes_]:
    """Return the digests of a table, sorted; those of entities and facts are in the row order of the snapshot."""
    return _packed([digest for (digest,) in connection.execute(f"SELECT digest FROM {table} ORDER BY digest")])


def pairs(packed: Sequence[bytes], known: NDArray[np.bytes_]) -> Incidence:
    """Link each packed list of digests to the positions of its digests in ``known`` (sorted), omitting unknown ones."""
    sizes = np.array([len(members) // DIGEST_BYTES for members in packed], dtype=np.int64)
    owners = np.repeat(np.arange(len(packed)), sizes)
    wanted = np.frombuffer(b"".join(packed), dtype=DIGEST)
    places = np.searchsorted(known, wanted)
    matched = np.flatnonzero(places < len(known))
    matched = matched[known[places[matched]] == wanted[matched]]
    return Incidence.of(owners[matched], places[matched].astype(np.int64), len(packed))


def _packed(digests: Sequence[bytes]) -> NDArray[np.bytes_]:
    return np.frombuffer(b"".join(digests), dtype=DIGEST)
