"""Log of the rows that each change touched, so that arrays of an earlier state are updated instead of rebuilt.

A row is touched if it is inserted or deleted, or if any of its numbers, vectors or neighbours change. The facts of an
entity are derived from the touched facts, and the chunks of a fact from the touched chunks, so a hub costs no more than
other entities.
"""

import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np

from polyadic.model.resolution import ResolutionDecision
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.records import NODE_TYPES, NodeType
from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.tables import CHANGE_LOG
from polyadic.storage.table import Insert

GENERATION = "generation"
"""Key in the table meta: the random name of the current state."""
LEAST_KEPT = 4_000
SHARE_KEPT = 0.25
"""Touched rows that are kept: at least LEAST_KEPT, or this share of all facts and entities. Arrays that are further
behind are rebuilt."""
_UNCHANGED = ("0", 0)
"""State of a store in which nothing has been published."""
_PACKED = "<i8"


@dataclass(slots=True)
class TouchedRows:
    """Table keys of all rows that a change touches.

    ``names`` are the keys of inserted and deleted entities, ``decisions`` those made or undone: both affect which
    entity the title of a document names.
    """

    entities: set[int] = field(default_factory=set)
    facts: set[int] = field(default_factory=set)
    chunks: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    decisions: set[ResolutionDecision] = field(default_factory=set)


def touched_since(connection: Connection, number: int) -> dict[NodeType, Integers]:
    """Return the table keys, by node type, that were touched after the state with this number."""
    records = connection.execute("SELECT entities, facts, chunks FROM change_log WHERE id > ?", (number,)).fetchall()
    packed = zip(*records, strict=True) if records else ((), (), ())
    unpacked = (np.unique(np.frombuffer(b"".join(blobs), dtype=_PACKED)) for blobs in packed)
    return {node_type: rows.astype(np.int64) for node_type, rows in zip(NODE_TYPES, unpacked, strict=True)}


def enter(connection: Connection, touched: TouchedRows) -> None:
    """Record a new state and the rows that it touched, within the transaction of the change."""
    rows = (touched.entities, touched.facts, touched.chunks)
    # Plus one, so that changes that touch nothing are pruned as well.
    total = _last_total(connection) + sum(map(len, rows)) + 1
    _insert(connection, total, map(_pack, rows))
    _prune(connection, total)


def begin_anew(connection: Connection) -> None:
    """Record a new state that no earlier one leads to, within a transaction that touches everything."""
    connection.execute("DELETE FROM change_log")
    _insert(connection, 0, (b"", b"", b""))


def numbers(connection: Connection) -> dict[str, int]:
    """Return the numbers, by name, of the states from which the current one can be reached, including itself."""
    return dict(connection.execute("SELECT name, id FROM change_log"))


def present(connection: Connection) -> tuple[str, int]:
    """Return the name and number of the state that the connection reads."""
    row = connection.execute("SELECT name, id FROM change_log ORDER BY id DESC LIMIT 1").fetchone()
    return _UNCHANGED if row is None else (row[0], row[1])


def count_since(connection: Connection, number: int) -> int:
    """Return an upper bound of the rows touched after the state with this number, counting repetitions."""
    total: int = connection.execute("SELECT total FROM change_log WHERE id = ?", (number,)).fetchone()[0]
    return _last_total(connection) - total


def _insert(connection: Connection, total: int, packed: Iterable[bytes]) -> None:
    # Random, not sequential: a store restored from a backup must not match saved arrays of another state.
    name = secrets.token_hex(8)
    connection.change(Insert(CHANGE_LOG), [(name, total, *packed)])
    put_meta(connection, GENERATION, name)


def _last_total(connection: Connection) -> int:
    row = connection.execute("SELECT total FROM change_log ORDER BY id DESC LIMIT 1").fetchone()
    return row[0] if row else 0


def _prune(connection: Connection, total: int) -> None:
    """Delete states that are too far back, and the touched rows that only they would need."""
    # The highest keys approximate the counts, which would take time proportional to the store.
    (size,) = connection.execute(
        "SELECT coalesce((SELECT max(id) FROM entity), 0) + coalesce((SELECT max(id) FROM fact), 0)"
    ).fetchone()
    kept = max(LEAST_KEPT, int(SHARE_KEPT * size))
    if connection.execute("DELETE FROM change_log WHERE total < ?", (total - kept,)).rowcount:
        # No update starts before the oldest state, so the rows that led to it are not needed.
        connection.execute(
            "UPDATE change_log SET entities = ?, facts = ?, chunks = ? WHERE id = (SELECT min(id) FROM change_log)",
            (b"", b"", b""),
        )


def _pack(rows: Collection[int]) -> bytes:
    return np.array(sorted(rows), dtype=_PACKED).tobytes()
