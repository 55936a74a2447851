"""How much there is in a workspace, as the open transaction of a connection sees it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from polyadic.storage.postgres.query_batch import SubQuery, listed, told
from polyadic.storage.protocol import Side

_THERE = listed(
    "h.side, h.rows, h.indexed, coalesce(v.width, 0), (SELECT greatest(c.reltuples, 0) FROM pg_class c"
    " WHERE c.oid = to_regclass('near_' || v.width || '_' || h.side)), current_setting('hnsw.iterative_scan', true)",
    "FROM held h LEFT JOIN (SELECT vector_dims(data)::bigint AS width FROM vector ORDER BY id LIMIT 1) v ON true",
)


@dataclass(frozen=True, slots=True)
class WorkspaceStats:
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
    scans_on
        Whether an index is scanned on until enough is found, which pgvector does from 0.8 on.
    """

    rows: Mapping[Side, int]
    indexed: Mapping[Side, int]
    of_all: Mapping[Side, float]
    dimension: int
    scans_on: bool

    @classmethod
    def part(cls, take: "Callable[[WorkspaceStats], None]") -> SubQuery:
        """What reads it."""
        return SubQuery(_THERE, (), lambda value: take(cls._of(value)))

    @classmethod
    def _of(cls, value: str | None) -> "WorkspaceStats":
        found = told(value)
        return cls(
            {side: rows for side, rows, *_ in found},
            {side: rows for side, rows, indexed, *_ in found if indexed},
            {side: float(count or 0) for side, _, _, _, count, _ in found},
            max((width for _, _, _, width, _, _ in found), default=0),
            any(scanning for *_, scanning in found),
        )
