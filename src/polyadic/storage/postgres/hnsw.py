"""Create and fill HNSW indexes, for the vectors of large workspaces only.

Up to some ten thousand vectors, exhaustive search is as fast (for 20,000 vectors of dimension 384: 10 ms on the server,
against 18 ms by the index with a candidate list of the required size), and an index makes writing several times slower.
"""

from polyadic.storage.connection import Connection
from polyadic.storage.sql.embedding_model import dimension_of

LEAST_INDEXED = 20_000
"""A side with more rows than this is indexed, and stays indexed."""
_LARGE = "SELECT side FROM row_count WHERE rows > ? AND NOT indexed"


def index_large(connection: Connection) -> None:
    """Index the vectors of sides that have become large.

    Adding to an existing index takes a few milliseconds per vector. A side is left for a later change if there are no
    vectors yet, or if its index is missing and another transaction is creating one.
    """
    for (side,) in connection.execute(_LARGE, (LEAST_INDEXED,)).fetchall():
        dimension = dimension_of(connection)
        if dimension and connection.execute("SELECT may_create_vector_index(?, ?)", (side, dimension)).fetchone()[0]:
            _mark(connection, side)
            connection.execute("SELECT create_vector_index(?, ?)", (side, dimension))


def mark_large(connection: Connection) -> None:
    """Mark large sides as indexed; :func:`index_marked` then builds their indexes from all vectors at once."""
    for (side,) in connection.execute(_LARGE, (LEAST_INDEXED,)).fetchall():
        _mark(connection, side)


def index_marked(connection: Connection) -> None:
    """Create the indexes of the marked sides; call it in a transaction that has written nothing yet."""
    for (side,) in connection.execute("SELECT side FROM row_count WHERE indexed ORDER BY side").fetchall():
        if dimension := dimension_of(connection):
            connection.execute("SELECT create_vector_index(?, ?)", (side, dimension))


def unmark(connection: Connection) -> None:
    """Mark all sides as not indexed, when all vectors are replaced."""
    connection.execute("UPDATE row_count SET indexed = false")


def _mark(connection: Connection, side: str) -> None:
    # Before the index is created, so that the build includes these vectors.
    connection.execute("UPDATE row_count SET indexed = true WHERE side = ?", (side,))
    connection.execute("UPDATE search_vector SET indexed = true WHERE side = ?", (side,))
