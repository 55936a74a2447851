"""Create and fill HNSW indexes, for the vectors of large workspaces only.

Up to some ten thousand vectors, exhaustive search is as fast (for 20,000 vectors of dimension 384: 10 ms on the server,
against 18 ms by the index with a candidate list of the required size), and an index makes writing several times slower.
"""

from polyadic.storage.connection import Connection
from polyadic.storage.sql.meta import dimension_of

LEAST_INDEXED = 20_000
"""A node type with more rows than this is indexed, and stays indexed."""
_LARGE = "SELECT node_type FROM row_count WHERE rows > ? AND NOT indexed"


def index_large(connection: Connection) -> None:
    """Index the vectors of node types that have become large.

    Adding to an existing index takes a few milliseconds per vector. A node type is left for a later change if there
    are no vectors yet, or if its index is missing and another transaction is creating one.
    """
    for (node_type,) in connection.execute(_LARGE, (LEAST_INDEXED,)).fetchall():
        dimension = dimension_of(connection)
        if (
            dimension
            and connection.execute("SELECT may_create_vector_index(?, ?)", (node_type, dimension)).fetchone()[0]
        ):
            _mark(connection, node_type)
            connection.execute("SELECT create_vector_index(?, ?)", (node_type, dimension))


def mark_large(connection: Connection) -> None:
    """Mark large node types as indexed; :func:`index_marked` then builds their indexes from all vectors at once."""
    for (node_type,) in connection.execute(_LARGE, (LEAST_INDEXED,)).fetchall():
        _mark(connection, node_type)


def index_marked(connection: Connection) -> None:
    """Create the indexes of the marked node types; call it in a transaction that has written nothing yet."""
    for (node_type,) in connection.execute(
        "SELECT node_type FROM row_count WHERE indexed ORDER BY node_type"
    ).fetchall():
        if dimension := dimension_of(connection):
            connection.execute("SELECT create_vector_index(?, ?)", (node_type, dimension))


def unmark(connection: Connection) -> None:
    """Mark all node types as not indexed, when all vectors are replaced."""
    connection.execute("UPDATE row_count SET indexed = false")


def _mark(connection: Connection, node_type: str) -> None:
    # Before the index is created, so that the build includes these vectors.
    connection.execute("UPDATE row_count SET indexed = true WHERE node_type = ?", (node_type,))
    connection.execute("UPDATE search_vector SET indexed = true WHERE node_type = ?", (node_type,))
