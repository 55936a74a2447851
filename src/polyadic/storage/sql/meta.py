"""Key-value metadata of a store: embedding model, state names, operations in progress, roots.

Vectors of different embedding models are never compared: a store belongs to the model that filled it.
"""

from collections.abc import Collection, Sequence

from polyadic.errors import EmbedderMismatch, StoreError
from polyadic.model.identity import digest
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.tables import META
from polyadic.storage.table import Insert

EMBEDDER = "embedder"
"""Key of the embedding model."""
COPYING = "copying"
"""Key of the state of the source of an unfinished copy."""
GATHERED = "gathered"
"""Key of the model whose vectors are being collected."""
_PUT = Insert(META, replace=("value",))
_ROOT = "root "


def meta(connection: Connection, key: str) -> str | None:
    """Return the value of a key; None if it is not set."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def metas(connection: Connection, keys: Sequence[str]) -> list[str]:
    """Return the values of several keys; an empty string for each that is not set."""
    values = dict(select_in(connection, "SELECT key, value FROM meta WHERE key {any_of}", keys))
    return [values.get(key, "") for key in keys]


def put_meta(connection: Connection, key: str, value: str) -> None:
    """Set the value of a key, replacing an earlier one."""
    connection.change(_PUT, [(key, value)])


def drop_meta(connection: Connection, key: str) -> None:
    """Delete a key."""
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def add_roots(connection: Connection, folders: Collection[str]) -> None:
    """Record folders as roots of the workspace. Each has a row of its own, so that runs at the same time lose none."""
    for folder in sorted(folders):
        put_meta(connection, f"{_ROOT}{digest(folder)}", folder)


def roots_of(connection: Connection) -> list[str]:
    """Return the folders from which files were indexed, sorted."""
    rows = connection.execute("SELECT value FROM meta WHERE substr(key, 1, ?) = ?", (len(_ROOT), _ROOT))
    return sorted(str(folder) for (folder,) in rows.fetchall())


def put_if_missing(connection: Connection, key: str, value: str) -> None:
    """Set the value of a key, unless it has one."""
    connection.change(Insert(META, ignore=True), [(key, value)])


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
    if embedder and filled_with and filled_with != embedder:
        raise EmbedderMismatch(
            f"{where} was filled with the embedding model {filled_with}, the settings name {embedder}",
            "run polyadic reembed to change the store's model, or restore [embedding] in the settings",
        )


def check_usable(copying: str | None, filled_with: str | None, embedder: str | None, where: object) -> None:
    """Check that a store is not the target of an unfinished copy, and has not switched to another embedding model.

    Parameters
    ----------
    copying, filled_with
        The values of the keys COPYING and EMBEDDER.
    embedder, where
        As for :func:`check_claimed`.

    Raises
    ------
    StoreError
        A copy into the store has not been finished.
    EmbedderMismatch
        Another process has switched the store to another model since it was opened.
    """
    if copying:
        raise StoreError(f"{where} holds an unfinished copy", "run the same polyadic copy command again to resume it")
    if embedder and filled_with and filled_with != embedder:
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
