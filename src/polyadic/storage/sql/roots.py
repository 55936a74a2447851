"""Roots of a workspace: the folders from which files were indexed."""

from collections.abc import Collection

from polyadic.model.identity import digest
from polyadic.storage.connection import Connection
from polyadic.storage.sql.meta import put_meta

_PREFIX = "root "


def add_roots(connection: Connection, folders: Collection[str]) -> None:
    """Record folders as roots. Each has a row of its own, so that runs at the same time lose none."""
    for folder in sorted(folders):
        put_meta(connection, f"{_PREFIX}{digest(folder)}", folder)


def roots_of(connection: Connection) -> list[str]:
    """Return all roots, sorted."""
    rows = connection.execute("SELECT value FROM meta WHERE substr(key, 1, ?) = ?", (len(_PREFIX), _PREFIX))
    return sorted(str(folder) for (folder,) in rows.fetchall())
