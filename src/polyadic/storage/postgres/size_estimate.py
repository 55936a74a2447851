"""How much room a workspace takes among others: told from a sample, as tables are shared and hold no sums of it."""

from polyadic.storage.connection import Connection
from polyadic.storage.protocol import Side

SAMPLE = 1_000
"""Rows of a side that are looked at. Digests are spread evenly, so the first are as good as any."""
# With each row, what hangs on it in other tables. What is kept apart from its row, being long, is not fetched for this.
_NEAR = "SELECT n.* FROM drawn JOIN near n ON n.side = '{0}' AND n.row = drawn.id"
_ROWS: dict[Side, tuple[str, ...]] = {
    "fact": (
        "SELECT p.* FROM drawn JOIN participation p ON p.fact = drawn.id",
        "SELECT s.* FROM drawn JOIN statement s ON s.fact = drawn.id",
        "SELECT v.id, v.digest, v.data FROM drawn JOIN vector v ON v.id = drawn.vector",
        _NEAR.format("fact"),
    ),
    "entity": (
        "SELECT s.* FROM drawn JOIN said s ON s.entity = drawn.id",
        "SELECT c.* FROM drawn JOIN called c ON c.entity = drawn.id",
        "SELECT v.id, v.digest, v.data FROM drawn JOIN said s ON s.entity = drawn.id JOIN vector v ON v.id = s.vector",
        _NEAR.format("entity"),
    ),
    "chunk": (
        "SELECT w.* FROM drawn JOIN passage_window w ON w.chunk = drawn.id",
        "SELECT v.id, v.digest, v.data FROM drawn JOIN passage_window w ON w.chunk = drawn.id"
        " JOIN vector v ON v.id = w.vector",
        _NEAR.format("chunk"),
    ),
}


def size_of(connection: Connection) -> int:
    """Bytes of the rows of a workspace, without their indexes, roughly where there are many."""
    held = dict(connection.execute("SELECT side, rows FROM held").fetchall())
    return sum(int(held.get(side, 0) * _of_one(connection, side)) for side in _ROWS) + _of_replies(connection)


def _of_one(connection: Connection, side: Side) -> float:
    """Bytes that stand for one row of a side."""
    own = "pg_column_size(drawn)"
    if side == "chunk":
        # Beside its own columns the text that it is cut out of, and its words, which take about as much.
        # pg_column_size of the whole row would fetch and unpack the evidence.
        own = "coalesce(pg_column_size(evidence), 0) + 120 + 2 * (stop - start)"
    parts = " + ".join(f"(SELECT coalesce(sum(pg_column_size(t)), 0) FROM ({rows}) t)" for rows in _ROWS[side])
    ((rows, size),) = connection.execute(
        f"WITH drawn AS MATERIALIZED (SELECT * FROM {side} ORDER BY digest LIMIT ?)"
        f" SELECT count(*), coalesce(sum({own}), 0) + {parts} FROM drawn",
        (SAMPLE,),
    ).fetchall()
    return float(size) / max(int(rows), 1)


def _of_replies(connection: Connection) -> int:
    ((count, mean),) = connection.execute(
        "SELECT (SELECT count(*) FROM reply),"
        " coalesce(avg(pg_column_size(text)), 0) FROM (SELECT text FROM reply ORDER BY digest LIMIT ?) drawn",
        (SAMPLE,),
    ).fetchall()
    return int(count * float(mean))
