"""Which embedding model fills a store: vectors of two are never compared."""

from polyadic.errors import EmbedderMismatch
from polyadic.storage.connection import Connection

EMBEDDER = "embedder"
"""The key in the table meta."""


def claim(connection: Connection, embedder: str) -> None:
    """Note that a model fills the store, unless one does already."""
    connection.execute("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (EMBEDDER, embedder))


def check_claimed(filled_with: str | None, embedder: str | None, where: object) -> None:
    """Raises EmbedderMismatch where a store that is being opened was filled with another model than this one.

    None stands for any model on either side.
    """
    if _differs(filled_with, embedder):
        raise EmbedderMismatch(
            f"{where} was filled with the embedding model {filled_with}, the settings name {embedder}",
            "polyadic reembed changes what it holds, or set [embedding] back",
        )


def check_still_claimed(filled_with: str | None, embedder: str | None, where: object) -> None:
    """Raises EmbedderMismatch where the model was changed since the store was opened with this one."""
    if _differs(filled_with, embedder):
        raise EmbedderMismatch(
            f"{where} was changed from the embedding model {embedder} to {filled_with} meanwhile",
            "start again with settings that name it, or polyadic reembed changes it back",
        )


def _differs(filled_with: str | None, embedder: str | None) -> bool:
    return embedder is not None and filled_with is not None and filled_with != embedder
