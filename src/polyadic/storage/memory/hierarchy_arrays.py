"""The hierarchy of one committed state as arrays: what is not stale, with its vectors and who holds whom.

It is small beside the snapshot, so it is made from the tables whenever another state is read.
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
    """Pairs of rows, ``targets[starts[i]:starts[i + 1]]`` being those of row i."""

    starts: Integers
    targets: Integers

    @classmethod
    def of(cls, sources: Integers, targets: Integers, rows: int) -> Self:
        """From pairs in any order; the targets of a row are sorted."""
        order = np.argsort(targets, kind="stable")
        starts, grouping = grouped(sources[order], rows)
        return cls(starts, targets[order][grouping])

    @property
    def sources(self) -> Integers:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def numbered(self, rows: Integers) -> "RowIncidence":
        """The same pairs where the targets have these rows, one for each place that they were given by."""
        return RowIncidence.of(self.sources, rows[self.targets], len(self.starts) - 1)

    def links(self, rows: Rows) -> Links:
        return links_of(self.starts, self.targets, rows)

    def turned(self, rows: int) -> "RowIncidence":
        """The same pairs from the other side, where there are so many rows."""
        return RowIncidence.of(self.targets, self.sources, rows)

    def within(self, sources: Mask, targets: Mask | None = None) -> "RowIncidence":
        """The pairs of some rows, which are numbered anew; likewise their targets, where a mask is given for them."""
        of, to = self.sources, self.targets
        kept = sources[of] if targets is None else sources[of] & targets[to]
        renumbered = to[kept] if targets is None else (np.cumsum(targets) - 1)[to[kept]]
        return RowIncidence.of((np.cumsum(sources) - 1)[of[kept]], renumbered, int(sources.sum()))


Numbering = Callable[[Connection], tuple[Integers, int]]
"""Tells the row of each entity, in the order of identifiers, and a number above them all."""


def in_order(connection: Connection) -> tuple[Integers, int]:
    """The numbering of stores whose rows are in the order of identifiers."""
    (size,) = connection.execute("SELECT count(*) FROM entity").fetchone()
    return np.arange(size), size


@dataclass(frozen=True, slots=True)
class HierarchyArrays:
    """Summaries and reported communities, each in the order of identifiers; rows of entities are the reader's.

    ``*_keys`` are keys of the tables. ``covers_*`` lead from summaries to what they cover, ``holds_*`` from communities
    to what they hold; ``covered_by``, ``above``, ``entity_held`` and ``summary_held`` lead back.
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
        """Read the arrays out of the tables, within the transaction that the connection is in."""
        summaries = connection.execute(
            "SELECT s.id, s.digest, s.members, v.data FROM summary s JOIN vector v ON v.id = s.vector ORDER BY s.digest"
        ).fetchall()
        communities = connection.execute(
            "SELECT id, members FROM theme WHERE kind = ? AND report IS NOT NULL ORDER BY digest", (COMMUNITY,)
        ).fetchall()
        # No hierarchy costs next to nothing, however many entities there are.
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
        """From what leads to entities and to summaries; what leads back follows."""
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
        """Some of them alone, in rows of their own."""
        return HierarchyArrays.of(
            self.entities,
            self.summary_keys[summaries],
            self.summary_vectors[summaries],
            self.community_keys[communities],
            (self.covers_entities.within(summaries), self.covers_summaries.within(summaries, summaries)),
            (self.holds_entities.within(communities), self.holds_summaries.within(communities, summaries)),
        )


def digests_of(connection: Connection, table: str) -> NDArray[np.bytes_]:
    """The digests of all rows of a table, sorted: those of entities and facts stand as the snapshot has them."""
    return _packed([digest for (digest,) in connection.execute(f"SELECT digest FROM {table} ORDER BY digest")])


def pairs(packed: Sequence[bytes], known: NDArray[np.bytes_]) -> RowIncidence:
    """From the places of lists of digests to the places that these digests have among those known, which are sorted."""
    sizes = np.array([len(members) // DIGEST_BYTES for members in packed], dtype=np.int64)
    owners = np.repeat(np.arange(len(packed)), sizes)
    wanted = np.frombuffer(b"".join(packed), dtype=DIGEST)
    places = np.searchsorted(known, wanted)
    found = np.flatnonzero(places < len(known))
    found = found[known[places[found]] == wanted[found]]
    return RowIncidence.of(owners[found], places[found].astype(np.int64), len(packed))


def _packed(digests: Sequence[bytes]) -> NDArray[np.bytes_]:
    return np.frombuffer(b"".join(digests), dtype=DIGEST)
