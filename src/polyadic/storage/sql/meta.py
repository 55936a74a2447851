"""Key-value metadata of a store: embedding model, state names, operations in progress."""

from collections.abc import Sequence

from polyadic.storage.connection import Connection


def meta(connection: Connection, key: str) -> str | None:
    """Return the value of a key; None if it is not set."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def metas(connection: Connection, keys: Sequence[str]) -> list[str]:
    """Return the values of several keys; an empty string for each that is not set."""
    marks = ", ".join("?" * len(keys))
    values = dict(connection.execute(f"SELECT key, value FROM meta WHERE key IN ({marks})", keys).fetchall())
    return [values.get(key, "") for key in keys]


def put_meta(connection: Connection, key: str, value: str) -> None:
    """Set the value of a key, replacing an earlier one."""
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def drop_meta(connection: Connection, key: str) -> None:
    """Delete a key."""
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))
