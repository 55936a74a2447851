"""How much there is in a workspace, as the open transaction of a connection sees it."""

from collections.abc import Mapping
from dataclasses import dataclass

from polyadic.store.connection import Connection
from polyadic.store.protocol import Side

_THERE = (
    "SELECT h.side, h.rows, h.indexed, v.width, (SELECT c.reltuples::float8 FROM pg_class c"
    " WHERE c.oid = to_regclass('near_' || v.width || '_' || h.side))"
    " FROM held h LEFT JOIN (SELECT vector_dims(data)::bigint AS width FROM vector ORDER BY id LIMIT 1) v ON true"
)


@dataclass(frozen=True, slots=True)
class There:
    """Rows of each side, and where their vectors are indexed.

    Attributes
    ----------
    rows
        How many there are.
    indexed
        How many have their vectors in the index of their side: all of it, or none.
    of_all
        How many vectors the index of a side has, of all workspaces, as PostgreSQL last counted them.
    dimension
        How many numbers a vector has; 0 where there is none.
    """

    rows: Mapping[Side, int]
    indexed: Mapping[Side, int]
    of_all: Mapping[Side, float]
    dimension: int

    @classmethod
    def of(cls, connection: Connection) -> "There":
        told = connection.execute(_THERE).fetchall()
        return cls(
            {side: rows for side, rows, *_ in told},
            {side: rows for side, rows, indexed, *_ in told if indexed},
            {side: max(0.0, count or 0.0) for side, *_, count in told},
            max((width or 0 for _, _, _, width, _ in told), default=0),
        )
