"""Create the tables in a SQLite file, and migrate those of an earlier version."""

import sqlite3
from pathlib import Path

from polyadic.errors import StoreError
from polyadic.storage.sqlite.connection import roll_back
from polyadic.storage.sqlite.schema import APPLICATION_ID, MIGRATIONS, UNRELEASED_APPLICATION_ID, VERSION, schema


def is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the tables have the current version; False in a new file.

    Raises
    ------
    StoreError
        The file is another program's, or was written by a newer version or before the first release.
    """
    return _version(connection, path) == VERSION


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables of a new store, or bring those of an earlier version up to date, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated the store while this one waited for the lock.
        version = _version(connection, path)
        scripts = MIGRATIONS[version - 1 :] if version else ()
        for statement in schema() if not version else (one for script in scripts for one in _statements(script)):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


def _version(connection: sqlite3.Connection, path: Path) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and application == UNRELEASED_APPLICATION_ID:
        raise StoreError(
            f"{path} was written by a version of Polyadic before the first release, whose stores are not read any more",
            "delete its folder, or choose another one, and index the documents again",
        )
    if tables and application != APPLICATION_ID:
        raise StoreError(f"{path} is a database of some other program", "choose another folder for the workspace")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Polyadic (store version {version}, this one knows {VERSION})",
            "upgrade Polyadic",
        )
    return version


def _statements(script: str) -> list[str]:
    # executescript() would commit first; a migration must be atomic.
    statements, pending = [], ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return [*statements, pending] if pending.strip() else statements
