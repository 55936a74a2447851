"""Estimate the size of a workspace from a sample of its rows, as tables are shared between workspaces."""

from polyadic.storage.connection import Connection
from polyadic.storage.protocol import NodeType

SAMPLE = 1_000
"""Sampled rows of a node type. Digests are uniformly distributed, so the first ones are a random sample."""
# Rows of other tables that depend on each sampled row. Their sizes are read without fetching out-of-line values.
_NEAR_ROWS = "SELECT n.* FROM drawn JOIN search_vector n ON n.node_type = '{0}' AND n.row = drawn.id"
_DEPENDENTS: dict[NodeType, tuple[str, ...]] = {
    "fact": (
        "SELECT p.* FROM drawn JOIN participation p ON p.fact = drawn.id",
        "SELECT s.* FROM drawn JOIN statement s ON s.fact = drawn.id",
        "SELECT v.id, v.digest, v.data FROM drawn JOIN vector v ON v.id = drawn.vector",
        _NEAR_ROWS.format("fact"),
    ),
    "entity": (
        "SELECT s.* FROM drawn JOIN attribute_value s ON s.entity = drawn.id",
        "SELECT c.* FROM drawn JOIN entity_alias c ON c.entity = drawn.id",
        "SELECT v.id, v.digest, v.data FROM drawn JOIN attribute_value s ON s.entity = drawn.id JOIN vector"
        " v ON v.id = s.vector",
        _NEAR_ROWS.format("entity"),
    ),
    "chunk": (
        "SELECT w.* FROM drawn JOIN passage_window w ON w.chunk = drawn.id",
        "SELECT v.id, v.digest, v.data FROM drawn JOIN passage_window w ON w.chunk = drawn.id"
        " JOIN vector v ON v.id = w.vector",
        _NEAR_ROWS.format("chunk"),
    ),
}


def size_of(connection: Connection) -> int:
    """Return the size of a workspace's rows in bytes, without indexes; an estimate if there are more than SAMPLE."""
    held = dict(connection.execute("SELECT node_type, rows FROM row_count").fetchall())
    return sum(
        int(held.get(node_type, 0) * _mean_row_size(connection, node_type)) for node_type in _DEPENDENTS
    ) + _reply_size(connection)


def _mean_row_size(connection: Connection, node_type: NodeType) -> float:
    """Return the mean size in bytes of a row of a node type, with the rows that depend on it."""
    own = "pg_column_size(drawn)"
    if node_type == "chunk":
        # Add the text of the chunk, and its words, which take about as much. pg_column_size of the whole row would
        # fetch and decompress the evidence.
        own = "coalesce(pg_column_size(evidence), 0) + 120 + 2 * (stop - start)"
    parts = " + ".join(
        f"(SELECT coalesce(sum(pg_column_size(t)), 0) FROM ({rows}) t)" for rows in _DEPENDENTS[node_type]
    )
    ((rows, size),) = connection.execute(
        f"WITH drawn AS MATERIALIZED (SELECT * FROM {node_type} ORDER BY digest LIMIT ?)"
        f" SELECT count(*), coalesce(sum({own}), 0) + {parts} FROM drawn",
        (SAMPLE,),
    ).fetchall()
    return float(size) / max(int(rows), 1)


def _reply_size(connection: Connection) -> int:
    ((count, mean),) = connection.execute(
        "SELECT (SELECT count(*) FROM reply),"
        " coalesce(avg(pg_column_size(text)), 0) FROM (SELECT text FROM reply ORDER BY digest LIMIT ?) drawn",
        (SAMPLE,),
    ).fetchall()
    return int(count * float(mean))
