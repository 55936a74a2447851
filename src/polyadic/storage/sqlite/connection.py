"""SQLite connection that makes changes of many rows and queries over lists."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from polyadic.storage.table import Delete, Insert, RowChange, Update

_MAX_VALUES = 512
"""Values of a list in one statement."""


class SqliteConnection(sqlite3.Connection):
    """Implements :class:`polyadic.storage.connection.Connection`."""

    def change(self, change: RowChange, rows: Iterable[Sequence[Any]], /) -> None:
        self.executemany(statement(change), rows)

    def conditions(self, values: Sequence[Any], /) -> Iterator[tuple[str, Sequence[Any]]]:
        for start in range(0, len(values), _MAX_VALUES):
            part = _padded(values[start : start + _MAX_VALUES])
            yield f"IN ({','.join('?' * len(part))})", part


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the open transaction, unless SQLite has done so itself (as it does when the disk is full)."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@lru_cache(maxsize=256)
def statement(change: RowChange) -> str:
    """Make the statement that changes one row.

    >>> from polyadic.storage.sql.tables import PARTICIPATION
    >>> statement(Update(PARTICIPATION, where=("fact", "entity"), add=("occurrences",)))
    'UPDATE participation SET occurrences = occurrences + ? WHERE fact = ? AND entity = ?'
    """
    table = change.table.name
    match change:
        case Insert():
            marks = ", ".join("?" * len(change.columns))
            return f"INSERT INTO {table} ({', '.join(change.columns)}) VALUES ({marks}){change.on_conflict()}"
        case Update():
            values = [*(f"{one} = ?" for one in change.set), *(f"{one} = {one} + ?" for one in change.add)]
            return f"UPDATE {table} SET {', '.join(values)} WHERE {_equal(change.where)}"
        case Delete():
            return f"DELETE FROM {table} WHERE {_equal(change.where)}"


def _equal(columns: Sequence[str]) -> str:
    return " AND ".join(f"{one} = ?" for one in columns)


def _padded(values: Sequence[Any]) -> Sequence[Any]:
    """Pad values to a power of two by repeating the last, so that few distinct statements are compiled.

    >>> _padded([1, 2, 3]), _padded([1])
    ([1, 2, 3, 3], [1])
    """
    padding = (1 << (len(values) - 1).bit_length()) - len(values)
    return [*values, *[values[-1]] * padding]
