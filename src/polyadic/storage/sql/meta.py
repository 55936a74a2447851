"""What a store notes of itself, by key: its embedding model, the names of its states, what is under way."""

from collections.abc import Sequence

from polyadic.storage.connection import Connection


def meta(connection: Connection, key: str) -> str | None:
    """What is noted under a key; None where nothing is."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def metas(connection: Connection, keys: Sequence[str]) -> list[str]:
    """What is noted under each of these keys; empty where nothing is."""
    marks = ", ".join("?" * len(keys))
    found = dict(connection.execute(f"SELECT key, value FROM meta WHERE key IN ({marks})", keys).fetchall())
    return [found.get(key, "") for key in keys]


def put_meta(connection: Connection, key: str, value: str) -> None:
    """Note it in place of what was noted under the key."""
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def drop_meta(connection: Connection, key: str) -> None:
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))
