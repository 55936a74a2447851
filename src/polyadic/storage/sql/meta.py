"""Key-value metadata of a store: embedding model, state names, operations in progress, roots."""

from collections.abc import Collection, Sequence

from polyadic.model.identity import digest
from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import Insert
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.tables import META

_PUT = Insert(META, ("key", "value"), replace=("value",))
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
