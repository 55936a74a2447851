"""How many numbers the vectors of a store have."""

from polyadic.errors import EmbedderMismatch
from polyadic.storage.connection import Connection
from polyadic.storage.sql.half_precision import HalfVector


def dimension_of(connection: Connection) -> int:
    """How many numbers the vectors of a store have; 0 where it holds none."""
    row = connection.execute("SELECT data FROM vector ORDER BY id LIMIT 1").fetchone()
    return HalfVector(row[0]).width if row else 0


def other_vectors(given: int, kept: int) -> EmbedderMismatch:
    """The refusal of vectors of another length than those of the store."""
    return EmbedderMismatch(
        f"the embedding model gives vectors of {given} numbers, the store holds vectors of {kept}",
        "set [embedding] back to the model that filled it, or polyadic reembed --force brings all to the new one",
    )
