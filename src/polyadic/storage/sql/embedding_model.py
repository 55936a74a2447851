"""Embedding model of a store, and the dimension of its vectors: vectors of different models are never compared."""

from polyadic.errors import EmbedderMismatch
from polyadic.storage.connection import Connection
from polyadic.storage.sql.half_precision import HalfVector

EMBEDDER = "embedder"
"""Key of the embedding model in the table meta."""


def claim(connection: Connection, embedder: str) -> None:
    """Record the embedding model of a store, unless one is recorded already."""
    connection.execute("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (EMBEDDER, embedder))


def check_claimed(filled_with: str | None, embedder: str | None, where: object) -> None:
    """Check the embedding model of a store that is being opened.

    Parameters
    ----------
    filled_with
        Model recorded in the store; None if none is.
    embedder
        Model of the settings; None if any will do.
    where
        Location of the store, for the message.

    Raises
    ------
    EmbedderMismatch
        The store holds vectors of another model.
    """
    if _differs(filled_with, embedder):
        raise EmbedderMismatch(
            f"{where} was filled with the embedding model {filled_with}, the settings name {embedder}",
            "run polyadic reembed to change the store's model, or restore [embedding] in the settings",
        )


def check_still_claimed(filled_with: str | None, embedder: str | None, where: object) -> None:
    """Check that the embedding model was not changed since the store was opened.

    Raises
    ------
    EmbedderMismatch
        Another process has switched the store to another model.
    """
    if _differs(filled_with, embedder):
        raise EmbedderMismatch(
            f"{where} was changed from the embedding model {embedder} to {filled_with} meanwhile",
            "set [embedding] to the new model and restart, or run polyadic reembed to change it back",
        )


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


def _differs(filled_with: str | None, embedder: str | None) -> bool:
    return embedder is not None and filled_with is not None and filled_with != embedder
