"""The hierarchy of one committed state as arrays: current summaries and communities, vectors and memberships.

The arrays are small beside the snapshot, so they are rebuilt from the tables whenever the state changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.connection import Connection
from polyadic.storage.incidence import DIGEST, DIGEST_BYTES, Floats, Integers, Mask, grouped, links_of
from polyadic.storage.protocol import Links, Rows
from polyadic.storage.sql.dimension import dimension_of
from polyadic.storage.sql.half_precision import kept, widened
from polyadic.storage.sql.hierarchy_records import COMMUNITY


@dataclass(frozen=True, slots=True)
class RowIncidence:
    """Incidence in CSR form: row i is linked to ``targets[starts[i]:starts[i + 1]]``."""

    starts: Integers
    targets: Integers

    @classmethod
    def of(cls, sources: Integers, targets: Integers, rows: int) -> Self:
        """Build from pairs in any order; the targets of each row are sorted."""
        order = np.argsort(targets, kind="stable")
        starts, grouping = grouped(sources[order], rows)
        return cls(starts, targets[order][grouping])

    @property
    def sources(self) -> Integers:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def numbered(self, rows: Integers) -> "RowIncidence":
        """Renumber the targets: target t becomes ``rows[t]``."""
        return RowIncidence.of(self.sources, rows[self.targets], len(self.starts) - 1)

    def links(self, rows: Rows) -> Links:
        return links_of(self.starts, self.targets, rows)

    def turned(self, rows: int) -> "RowIncidence":
        """Transpose; ``rows`` is the number of rows of the result."""
        return RowIncidence.of(self.targets, self.sources, rows)

    def within(self, sources: Mask, targets: Mask | None = None) -> "RowIncidence":
        """Select rows by a mask and renumber them; likewise the targets, if a mask is given for them."""
        of, to = self.sources, self.targets
        kept = sources[of] if targets is None else sources[of] & targets[to]
        renumbered = to[kept] if targets is None else (np.cumsum(targets) - 1)[to[kept]]
        return RowIncidence.of((np.cumsum(sources) - 1)[of[kept]], renumbered, int(sources.sum()))


Numbering = Callable[[Connection], tuple[Integers, int]]
"""Returns the row of each entity, in the order of identifiers, and an upper bound of rows (exclusive)."""


def in_order(connection: Connection) -> tuple[Integers, int]:
    """Number entity rows in the order of identifiers."""
    (size,) = connection.execute("SELECT count(*) FROM entity").fetchone()
    return np.arange(size), size


@dataclass(frozen=True, slots=True)
class HierarchyArrays:
    """Summaries and communities with reports, each in the order of identifiers; entity rows are the reader's.

    ``*_keys`` are primary keys. ``covers_*`` link summaries to what they cover, ``holds_*`` communities to their
    members. ``covered_by``, ``above``, ``entity_held`` and ``summary_held`` are the transposes.
    """

    entities: int
    summary_keys: Integers
    summary_vectors: Floats
    community_keys: Integers
    covers_entities: RowIncidence
    covers_summaries: RowIncidence
    holds_entities: RowIncidence
    holds_summaries: RowIncidence
    covered_by: RowIncidence
    above: RowIncidence
    entity_held: RowIncidence
    summary_held: RowIncidence

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
        covered = [members for _, _, members, _ in summaries]
        held = [members for _, members in communities]
        return cls.of(
            size,
            np.array([key for key, *_ in summaries], dtype=np.int64),
            widened(kept([data for *_, data in summaries], dimension_of(connection))),
            np.array([key for key, _ in communities], dtype=np.int64),
            (pairs(covered, entities).numbered(rows), pairs(covered, known)),
            (pairs(held, entities).numbered(rows), pairs(held, known)),
        )

    @classmethod
    def of(
        cls,
        entities: int,
        summary_keys: Integers,
        summary_vectors: Floats,
        community_keys: Integers,
        covers: tuple[RowIncidence, RowIncidence],
        holds: tuple[RowIncidence, RowIncidence],
    ) -> Self:
        """Build from the links to entities and to summaries; the transposes are computed."""
        summaries = len(summary_keys)
        return cls(
            entities,
            summary_keys,
            summary_vectors,
            community_keys,
            *covers,
            *holds,
            covers[0].turned(entities),
            covers[1].turned(summaries),
            holds[0].turned(entities),
            holds[1].turned(summaries),
        )

    def within(self, summaries: Mask, communities: Mask) -> "HierarchyArrays":
        """Select summaries and communities by masks, and renumber them."""
        return HierarchyArrays.of(
            self.entities,
            self.summary_keys[summaries],
            self.summary_vectors[summaries],
            self.community_keys[communities],
            (self.covers_entities.within(summaries), self.covers_summaries.within(summaries, summaries)),
            (self.holds_entities.within(communities), self.holds_summaries.within(communities, summaries)),
        )


def digests_of(connection: Connection, table: str) -> NDArray[np.bytes_]:
    """Return the digests of a table, sorted; those of entities and facts are in the row order of the snapshot."""
    return _packed([digest for (digest,) in connection.execute(f"SELECT digest FROM {table} ORDER BY digest")])


def pairs(packed: Sequence[bytes], known: NDArray[np.bytes_]) -> RowIncidence:
    """Link each packed list of digests to the positions of its digests in ``known`` (sorted), omitting unknown ones."""
    sizes = np.array([len(members) // DIGEST_BYTES for members in packed], dtype=np.int64)
    owners = np.repeat(np.arange(len(packed)), sizes)
    wanted = np.frombuffer(b"".join(packed), dtype=DIGEST)
    places = np.searchsorted(known, wanted)
    matched = np.flatnonzero(places < len(known))
    matched = matched[known[places[matched]] == wanted[matched]]
    return RowIncidence.of(owners[matched], places[matched].astype(np.int64), len(packed))


def _packed(digests: Sequence[bytes]) -> NDArray[np.bytes_]:
    return np.frombuffer(b"".join(digests), dtype=DIGEST)
