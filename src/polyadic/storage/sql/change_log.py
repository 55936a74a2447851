"""Which rows each change touched, entered by the change itself, so that arrays of an earlier state can be brought
forward to the present one instead of being made anew.

A row is touched that comes, goes, or of which any number, vector or neighbour changes. Of an entity the facts are known
from the facts that are touched, and of a fact its chunks from theirs, so that a hub costs no more than others.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.records import Side
from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.title_entities import titled_documents

GENERATION = "generation"
"""Key in the table meta: the drawn name of the present state."""
LEAST_KEPT = 4_000
SHARE_KEPT = 0.25
"""So many touched rows are kept, or such a share of all facts and entities: whoever is further behind starts anew."""
_UNCHANGED = ("0", 0)
"""Of a store in which nothing has been published."""
_PACKED = "<i8"
_SIDES: tuple[tuple[Side, str], ...] = (("entity", "entities"), ("fact", "facts"), ("chunk", "chunks"))


@dataclass(slots=True)
class TouchedRows:
    """Keys of the tables of all that a change touches.

    ``names`` are keys of entities that came or went, ``decisions`` those that were made or undone: on both rests which
    entity the title of a document names.
    """

    entities: set[int] = field(default_factory=set)
    facts: set[int] = field(default_factory=set)
    chunks: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    decisions: set[ResolutionDecision] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What was touched between two states: keys of the tables, each once."""

    rows: Mapping[Side, Integers]

    @classmethod
    def since(cls, connection: Connection, seq: int) -> Self:
        """All that was touched after the state with this number, up to the one that the connection reads."""
        found = connection.execute("SELECT entities, facts, chunks FROM state WHERE seq > ?", (seq,)).fetchall()
        packed = zip(*found, strict=True) if found else ((), (), ())
        unpacked = (np.unique(np.frombuffer(b"".join(blobs), dtype=_PACKED)) for blobs in packed)
        return cls({side: rows.astype(np.int64) for (side, _), rows in zip(_SIDES, unpacked, strict=True)})


def enter(connection: Connection, touched: TouchedRows) -> None:
    """Within the transaction of a change give the state that it makes a name, and note what it touched."""
    rows = (touched.entities, touched.facts, touched.chunks)
    # One more, so that changes which touch nothing are let go of as well.
    total = _last_total(connection) + sum(map(len, rows)) + 1
    _insert(connection, total, map(_pack, rows))
    _forget(connection, total)


def begin_anew(connection: Connection) -> None:
    """Within a transaction that touches everything: no earlier state leads to this one."""
    connection.execute("DELETE FROM state")
    _insert(connection, 0, (b"", b"", b""))


def numbers(connection: Connection) -> dict[str, int]:
    """The states by name from which the present one can be reached, which is the last of them, with their numbers."""
    return dict(connection.execute("SELECT name, seq FROM state"))


def present(connection: Connection) -> tuple[str, int]:
    """Name and number of the state that the connection reads."""
    row = connection.execute("SELECT name, seq FROM state ORDER BY seq DESC LIMIT 1").fetchone()
    return _UNCHANGED if row is None else (row[0], row[1])


def leads_on(connection: Connection, name: str) -> bool:
    """Whether the present state can be reached from the one of this name."""
    return connection.execute("SELECT 1 FROM state WHERE name = ?", (name,)).fetchone() is not None


def count_since(connection: Connection, number: int) -> int:
    """How many rows have been touched after the state with this number, each as often as it was, or a few more."""
    total: int = connection.execute("SELECT total FROM state WHERE seq = ?", (number,)).fetchone()[0]
    return _last_total(connection) - total


def _insert(connection: Connection, total: int, packed: Iterable[bytes]) -> None:
    # Drawn, not counted: a store restored from a backup must not meet arrays of a state with the same name.
    name = secrets.token_hex(8)
    connection.execute(
        "INSERT INTO state (name, total, entities, facts, chunks) VALUES (?, ?, ?, ?, ?)", (name, total, *packed)
    )
    put_meta(connection, GENERATION, name)


def titled_by(connection: Connection, touched: TouchedRows, overlay: EntityResolution) -> set[int]:
    """Chunks (keys of the table) whose documents have titles that may name another entity now."""
    keys = _together(touched.names, touched.decisions, overlay)
    return {titled.chunk for titled in titled_documents(connection, keys)} if keys else set()


def _together(names: Collection[str], decisions: Collection[ResolutionDecision], overlay: EntityResolution) -> set[str]:
    """These names with all that decisions, made, undone or holding, bring together with them."""
    keys = set(names).union(*(decision.touched for decision in decisions))
    before = -1
    while before != (before := len(keys)):
        keys.update(*(one.touched for one in overlay.decisions if not one.touched.isdisjoint(keys)))
    return keys


def _last_total(connection: Connection) -> int:
    row = connection.execute("SELECT total FROM state ORDER BY seq DESC LIMIT 1").fetchone()
    return row[0] if row else 0


def _forget(connection: Connection, total: int) -> None:
    """Let go of states that lie too far back, and of what only they would need."""
    # The highest keys instead of counts, which would take time that grows with the store.
    (size,) = connection.execute(
        "SELECT coalesce((SELECT max(id) FROM entity), 0) + coalesce((SELECT max(id) FROM fact), 0)"
    ).fetchone()
    kept = max(LEAST_KEPT, int(SHARE_KEPT * size))
    oldest, behind = _oldest(connection)
    if behind >= total - kept:
        return
    while behind < total - kept:
        connection.execute("DELETE FROM state WHERE seq = ?", (oldest,))
        oldest, behind = _oldest(connection)
    # Nobody starts before the oldest, so what led to it is of no use.
    connection.execute("UPDATE state SET entities = ?, facts = ?, chunks = ? WHERE seq = ?", (b"", b"", b"", oldest))


def _oldest(connection: Connection) -> tuple[int, int]:
    """Number and total of the oldest state that is known; there is the one that was entered last at least."""
    seq, total = connection.execute("SELECT seq, total FROM state ORDER BY seq LIMIT 1").fetchone()
    return seq, total


def _pack(rows: Collection[int]) -> bytes:
    return np.array(sorted(rows), dtype=_PACKED).tobytes()
