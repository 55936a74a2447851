"""Size statistics of a workspace, as seen by the open transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from polyadic.storage.postgres.query_batch import SubQuery, listed, parse_rows
from polyadic.storage.protocol import NodeType

_STATS_SQL = listed(
    "h.node_type, h.rows, h.indexed, coalesce(v.width, 0), (SELECT greatest(c.reltuples, 0) FROM pg_class c"
    " WHERE c.oid = to_regclass('search_vector_' || v.width || '_' || h.node_type)),"
    " current_setting('hnsw.iterative_scan', true)",
    "FROM row_count h LEFT JOIN (SELECT vector_dims(data)::bigint AS width FROM vector ORDER BY id LIMIT 1) v ON true",
)


@dataclass(frozen=True, slots=True)
class WorkspaceStats:
    """Row counts of each node type, and the state of its vector index.

    Attributes
    ----------
    rows
        Number of rows.
    indexed
        Number of rows whose vectors are in the node type's index; a node type is indexed completely or not at all.
    of_all
        Estimated number of vectors in a node type's index over all workspaces, from PostgreSQL's statistics.
    dimension
        Dimension of the vectors; 0 if there are none.
    scans_on
        Whether iterative index scans are available (pgvector 0.8 or later).
    """

    rows: Mapping[NodeType, int]
    indexed: Mapping[NodeType, int]
    of_all: Mapping[NodeType, float]
    dimension: int
    scans_on: bool

    @classmethod
    def part(cls, take: "Callable[[WorkspaceStats], None]") -> SubQuery:
        """Make the subquery that reads the statistics and passes them to ``take``."""
        return SubQuery(_STATS_SQL, (), lambda value: take(cls._of(value)))

    @classmethod
    def _of(cls, value: str | None) -> "WorkspaceStats":
        records = parse_rows(value)
        return cls(
            {node_type: rows for node_type, rows, *_ in records},
            {node_type: rows for node_type, rows, indexed, *_ in records if indexed},
            {node_type: float(count or 0) for node_type, _, _, _, count, _ in records},
            max((width for _, _, _, width, _, _ in records), default=0),
            any(scanning for *_, scanning in records),
        )
