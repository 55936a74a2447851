"""Run the SQL shared by all engines in PostgreSQL; many rows are changed by one statement, from one array per column.

Written one by one, rows take both the server and the client three times as long.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import psycopg
from psycopg.abc import Params

from polyadic.storage.postgres.keepalive import KeepaliveConnection
from polyadic.storage.postgres.schema import TYPES
from polyadic.storage.table import ColumnType, Delete, Insert, RowChange, Update

_ROWS_PER_STATEMENT = 1_000
_CONVERSIONS: Mapping[ColumnType, Callable[[Any], Any]] = {ColumnType.REAL: float, ColumnType.TEXT: str}
"""psycopg takes only arrays whose values all have the same type."""


class PostgresConnection(KeepaliveConnection):
    """Implements :class:`polyadic.storage.connection.Connection`; SQL in bytes has psycopg's placeholders."""

    def execute(
        self, query: Any, params: Params | None = (), /, *, prepare: bool | None = None, binary: bool = True
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        if isinstance(query, str):
            return super().execute(_with_placeholders(query), params, prepare=prepare, binary=binary)
        return super().execute(query, params or None, prepare=prepare)

    def change(self, change: RowChange, rows: Iterable[Sequence[Any]], /) -> None:
        bulk = bulk_statement(change)
        for batch in bulk.rounds(list(rows)):
            for start in range(0, len(batch), _ROWS_PER_STATEMENT):
                self.execute(bulk.sql, bulk.parameters(batch[start : start + _ROWS_PER_STATEMENT]))

    def conditions(self, values: Sequence[Any], /) -> Iterator[tuple[str, Sequence[Any]]]:
        # One array, so that lists of any length share one prepared statement.
        if len(values):
            yield "= ANY(?)", [np.array(values, dtype=np.int64) if isinstance(values[0], int) else list(values)]


@dataclass(frozen=True, slots=True)
class BulkStatement:
    """A statement for many rows; its parameters are one array per column.

    ``types`` are the types of the columns. ``keys`` are the indexes of the columns that identify the changed row; empty
    if no row can be changed twice.
    """

    sql: bytes
    types: tuple[ColumnType, ...]
    keys: tuple[int, ...] = ()

    def rounds(self, rows: Sequence[Sequence[Any]]) -> list[list[Sequence[Any]]]:
        """Split rows into rounds that change no row of the table twice, as one statement changes a row only once.

        >>> BulkStatement(b"", (), (1,)).rounds([("a", 1), ("b", 2), ("c", 1)])
        [[('a', 1), ('b', 2)], [('c', 1)]]
        """
        if not self.keys:
            return [list(rows)]
        rounds: list[list[Sequence[Any]]] = []
        changed = Counter[tuple[Any, ...]]()
        for row in rows:
            key = tuple(row[place] for place in self.keys)
            if changed[key] == len(rounds):
                rounds.append([])
            rounds[changed[key]].append(row)
            changed[key] += 1
        return rounds

    def parameters(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """Transpose rows to one array per column."""
        return [_array(column, kind) for column, kind in zip(zip(*rows, strict=True), self.types, strict=True)]


@lru_cache(maxsize=256)
def bulk_statement(change: RowChange) -> BulkStatement:
    """Make the statement of a change.

    >>> from polyadic.storage.sql.tables import PARTICIPATION
    >>> bulk_statement(Delete(PARTICIPATION, ("fact",))).sql
    b'DELETE FROM participation t USING unnest(%s::bigint[]) v (c0) WHERE t.fact = c0'
    """
    types = tuple(change.table.types[column] for column in change.columns)
    arrays = ", ".join(f"%{_format(kind)}::{TYPES[kind].partition(' COLLATE')[0]}[]" for kind in types)
    # Set and compared columns may have the same name.
    names = [f"c{number}" for number in range(len(types))]
    rows, table = f"unnest({arrays}) v ({', '.join(names)})", change.table.name
    keys: Sequence[int] = ()
    match change:
        case Insert():
            columns, conflict = ", ".join(change.columns), change.on_conflict("workspace")
            sql = f"INSERT INTO {table} ({columns}) SELECT {', '.join(names)} FROM {rows}{conflict}"
            if change.replace or change.add:
                keys = [change.columns.index(column) for column in change.table.key]
        case Update():
            keys = range(len(change.set + change.add), len(types))
            values = [f"{column} = {name}" for column, name in zip(change.set, names, strict=False)]
            values += [f"{one} = t.{one} + {name}" for one, name in zip(change.add, names[len(values) :], strict=False)]
            sql = f"UPDATE {table} t SET {', '.join(values)} FROM {rows} WHERE {_equal(change.where, names[keys[0] :])}"
        case Delete():
            sql = f"DELETE FROM {table} t USING {rows} WHERE {_equal(change.where, names)}"
    return BulkStatement(sql.encode(), types, tuple(keys))


def _format(kind: ColumnType) -> str:
    """Return psycopg's format of an array: by default, it sends lists as text."""
    return "b" if kind in (ColumnType.BYTES, ColumnType.VECTOR) else "s"


def _equal(columns: Sequence[str], names: Sequence[str]) -> str:
    return " AND ".join(f"t.{column} = {name}" for column, name in zip(columns, names, strict=True))


def _array(values: Sequence[Any], kind: ColumnType) -> Any:
    if kind is ColumnType.INTEGER and None not in values:
        return np.array(values, dtype=np.int64)
    make = _CONVERSIONS.get(kind)
    return [None if value is None else make(value) for value in values] if make else list(values)


@lru_cache(maxsize=4_096)
def _with_placeholders(sql: str) -> bytes:
    """Write psycopg's placeholder for the standard one.

    >>> _with_placeholders("SELECT id FROM fact WHERE arity = ? AND text LIKE 'A%'")
    b"SELECT id FROM fact WHERE arity = %s AND text LIKE 'A%%'"
    """
    return sql.replace("%", "%%").replace("?", "%s").encode()
