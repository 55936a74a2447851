"""Schema of the SQLite store: the tables of every engine (sql/tables.py), and SQLite's full-text index."""

from collections.abc import Iterator

from polyadic.storage.sql.tables import TABLES
from polyadic.storage.table import ColumnType, Table, column_definitions

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
    lines = [*column_definitions(table, _TYPES), f"PRIMARY KEY ({', '.join(table.key)})"]
    lines += [f"UNIQUE ({column})" for column in table.unique]
    return f"CREATE TABLE {table.name} ({', '.join(lines)}){'' if table.key == ('id',) else ' WITHOUT ROWID'}"
