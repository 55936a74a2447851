"""Which vectors are in an index of what is near: those of workspaces that have many.

Comparing vector by vector takes no longer in a small workspace, and writing takes several times as long with an index.
"""

from polyadic.store.connection import Connection

LEAST_INDEXED = 5_000
"""Where a side has more rows than these, its vectors are indexed, and stay so."""


def index_large(connection: Connection) -> None:
    """Put the vectors of sides that have become large into their index, once; that takes about a millisecond each."""
    sql = "UPDATE held SET indexed = true WHERE rows > ? AND NOT indexed RETURNING side"
    for (side,) in connection.execute(sql, (LEAST_INDEXED,)).fetchall():
        connection.execute("UPDATE near SET indexed = true WHERE side = ?", (side,))
