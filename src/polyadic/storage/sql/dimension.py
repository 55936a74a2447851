"""Dimension of the vectors of a store."""

from polyadic.errors import EmbedderMismatch
from polyadic.storage.connection import Connection
from polyadic.storage.sql.half_precision import HalfVector


def dimension_of(connection: Connection) -> int:
    """Return the dimension of the vectors of a store; 0 if it holds none."""
    row = connection.execute("SELECT data FROM vector ORDER BY id LIMIT 1").fetchone()
    return HalfVector(row[0]).width if row else 0


def other_vectors(given: int, kept: int) -> EmbedderMismatch:
    """Make the error for vectors whose dimension differs from the store's."""
    return EmbedderMismatch(
        f"the embedding model gives vectors of {given} numbers, the store holds vectors of {kept}",
        "set [embedding] back to the model that filled it, or run polyadic reembed --force to embed everything again",
    )
