"""Schema of the SQLite store: the tables of every engine (sql/tables.py), SQLite's full-text index, and migrations."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from polyadic.errors import StoreError
from polyadic.storage.sql.tables import TABLES
from polyadic.storage.sqlite.connection import roll_back
from polyadic.storage.table import ColumnType, Table

APPLICATION_ID = 0x506F6C31  # "Pol1": identifies a Polyadic store among SQLite files
UNRELEASED_APPLICATION_ID = 0x506F6C79
"""Identifies stores of versions before the first release, which cannot be read any more."""

MIGRATIONS: tuple[str, ...] = ()
"""The script of each released version after the first, never edited once released. A new store is created as the last
version has it; an older one is migrated by the scripts after its version."""
VERSION = 1 + len(MIGRATIONS)

_TYPES = {
    ColumnType.INTEGER: "INTEGER",
    ColumnType.REAL: "REAL",
    ColumnType.TEXT: "TEXT",
    ColumnType.BYTES: "BLOB",
    ColumnType.BOOLEAN: "INTEGER",
    ColumnType.VECTOR: "BLOB",
}
_OWN = (
    # By source, for pagination.
    "CREATE INDEX document_source ON document (source) WHERE current IS NOT NULL",
    "CREATE VIRTUAL TABLE passage_fts USING fts5"
    " (title, text, content = '', tokenize = 'unicode61 remove_diacritics 2')",
)


def schema() -> Iterator[str]:
    """Yield the statements that create the tables of a new store."""
    for table in TABLES:
        yield _create(table)
        for index in table.indexes:
            where = index.where and f" WHERE {index.where}"
            yield f"CREATE INDEX {table.name}_{index.name} ON {table.name} ({', '.join(index.columns)}){where}"
    yield from _OWN


def _create(table: Table) -> str:
    lines = [*table.definitions(_TYPES), f"PRIMARY KEY ({', '.join(table.key)})"]
    lines += [f"UNIQUE ({column})" for column in table.unique]
    return f"CREATE TABLE {table.name} ({', '.join(lines)}){'' if table.key == ('id',) else ' WITHOUT ROWID'}"


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
