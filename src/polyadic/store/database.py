"""Opening the SQLite file of a workspace: pragmas, versions, migrations."""

import sqlite3
from pathlib import Path

from polyadic.errors import StoreError
from polyadic.store.schema import APPLICATION_ID, MIGRATIONS, VERSION

BUSY_MILLISECONDS = 30_000


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode to a store of the present version, made or brought forward where needed.

    Raises
    ------
    StoreError
        The file is no store of ours, is damaged, or was written by a newer version.
    """
    try:
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=BUSY_MILLISECONDS / 1000
        )
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path} cannot be opened as a workspace's store ({error})",
            "restore it from a backup, or index into a new folder",
        ) from error
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    version = _version(connection, path)
    # Vectors of 1.5 kB waste a quarter of a 4 kB page; only a new file takes the size.
    connection.execute("PRAGMA page_size = 16384")
    # NORMAL in WAL mode survives kill -9 at any moment; only a power cut may lose the last commits, never the store.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA temp_store = MEMORY")
    if version < VERSION:
        _migrate(connection, path)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise StoreError(f"{path} is a database of some other program", "choose another folder for the workspace")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Polyadic (store version {version}, this one knows {VERSION})",
            "upgrade Polyadic",
        )
    return version


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited for the lock.
        for script in MIGRATIONS[_version(connection, path) :]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> list[str]:
    # executescript() would commit first; a migration happens wholly or not at all.
    statements, pending = [], ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
