"""Which vectors are in an index of what is near: those of workspaces that have many.

Comparing vector by vector takes no longer where there are some ten thousand (of 20,000 with 384 numbers 10 ms of the
server, and by the index 18 ms, as much of it as has to be kept in view), and writing takes several times as long with
an index.
"""

from polyadic.storage.connection import Connection
from polyadic.storage.sql.dimension import dimension_of

LEAST_INDEXED = 20_000
"""Where a side has more rows than these, its vectors are indexed, and stay so."""
_LARGE = "SELECT side FROM held WHERE rows > ? AND NOT indexed"


def index_large(connection: Connection) -> None:
    """Put the vectors of sides that have become large into their index.

    Where an index is there already, that takes about a millisecond each. Where it is to be made while somebody else is
    making one, the sides wait for another change; so they do where there are no vectors yet.
    """
    for (side,) in connection.execute(_LARGE, (LEAST_INDEXED,)).fetchall():
        dimension = dimension_of(connection)
        if dimension and connection.execute("SELECT may_index(?, ?)", (side, dimension)).fetchone()[0]:
            _mark(connection, side)
            connection.execute("SELECT index_near(?, ?)", (side, dimension))


def mark_large(connection: Connection) -> None:
    """Mark what is to be in an index that :func:`index_marked` makes in the end, so that it is made at once."""
    for (side,) in connection.execute(_LARGE, (LEAST_INDEXED,)).fetchall():
        _mark(connection, side)


def index_marked(connection: Connection) -> None:
    """Let there be the indexes for what is marked; in a transaction that has written nothing yet."""
    for (side,) in connection.execute("SELECT side FROM held WHERE indexed ORDER BY side").fetchall():
        if dimension := dimension_of(connection):
            connection.execute("SELECT index_near(?, ?)", (side, dimension))


def unmark(connection: Connection) -> None:
    """All vectors give way to others, which are in no index."""
    connection.execute("UPDATE held SET indexed = false")


def _mark(connection: Connection, side: str) -> None:
    # Before an index is made: then these are taken up with it.
    connection.execute("UPDATE held SET indexed = true WHERE side = ?", (side,))
    connection.execute("UPDATE near SET indexed = true WHERE side = ?", (side,))
