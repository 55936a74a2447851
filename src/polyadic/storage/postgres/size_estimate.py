"""Estimate the size of a workspace from a sample of its rows, as tables are shared between workspaces."""

from polyadic.storage.connection import Connection
from polyadic.storage.protocol import NodeType

SAMPLE = 1_000
"""Sampled rows of a node type. Digests are uniformly distributed, so the first ones are a random sample."""
# Tables with rows that depend on each sampled row, and which rows of ``t`` these are.
_DEPENDENTS: dict[NodeType, dict[str, str]] = {
    "fact": {
        "participation": "t.fact = drawn.id",
        "statement": "t.fact = drawn.id",
        "vector": "t.id = drawn.vector",
        "search_vector": "t.node_type = 'fact' AND t.row = drawn.id",
    },
    "entity": {
        "attribute_value": "t.entity = drawn.id",
        "entity_alias": "t.entity = drawn.id",
        "vector": "t.id IN (SELECT vector FROM attribute_value WHERE entity = drawn.id)",
        "search_vector": "t.node_type = 'entity' AND t.row = drawn.id",
    },
    "chunk": {
        "passage_window": "t.chunk = drawn.id",
        "vector": "t.id IN (SELECT vector FROM passage_window WHERE chunk = drawn.id)",
        "search_vector": "t.node_type = 'chunk' AND t.row = drawn.id",
    },
}
# The text of a chunk is added, and its words, which take about as much. pg_column_size of the whole row would fetch and
# decompress the evidence.
_OWN = {"chunk": "coalesce(pg_column_size(evidence), 0) + 120 + 2 * (stop - start)"}


def size_of(connection: Connection) -> int:
    """Return the size of a workspace's rows in bytes, without indexes; an estimate if there are more than SAMPLE."""
    held = dict(connection.execute("SELECT node_type, rows FROM row_count").fetchall())
    nodes = sum(int(held.get(one, 0) * _mean_row_size(connection, one)) for one in _DEPENDENTS)
    ((replies, mean),) = connection.execute(
        "SELECT (SELECT count(*) FROM reply),"
        " coalesce(avg(pg_column_size(text)), 0) FROM (SELECT text FROM reply ORDER BY digest LIMIT ?) drawn",
        (SAMPLE,),
    ).fetchall()
    return nodes + int(replies * float(mean))


def _mean_row_size(connection: Connection, node_type: NodeType) -> float:
    """Return the mean size in bytes of a row of a node type, with the rows that depend on it."""
    dependents = " + ".join(
        f"(SELECT coalesce(sum(pg_column_size(t)), 0) FROM drawn JOIN {table} t ON {condition})"
        for table, condition in _DEPENDENTS[node_type].items()
    )
    own = _OWN.get(node_type, "pg_column_size(drawn)")
    ((rows, size),) = connection.execute(
        f"WITH drawn AS MATERIALIZED (SELECT * FROM {node_type} ORDER BY digest LIMIT ?)"
        f" SELECT count(*), coalesce(sum({own}), 0) + {dependents} FROM drawn",
        (SAMPLE,),
    ).fetchall()
    return float(size) / max(int(rows), 1)
