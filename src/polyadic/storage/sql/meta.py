"""Key-value metadata of a store: embedding model, state names, operations in progress."""

from collections.abc import Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import Insert
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.tables import META

_PUT = Insert(META, ("key", "value"), replace=("value",))


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
