"""Statements that change many rows at once, from one array per column.

Written one by one, rows take both the server and the client three times as long.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from polyadic.storage.postgres.schema import TYPES
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.table import ColumnType, Delete, Insert, RowChange, Update


class VectorColumn(list[HalfVector]):
    """A column of vectors, sent as one array."""


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
    arrays = ", ".join(f"%s::{TYPES[kind].partition(' COLLATE')[0]}[]" for kind in types)
    # Set and compared columns may have the same name.
    names = [f"c{number}" for number in range(len(types))]
    rows = f"unnest({arrays}) v ({', '.join(names)})"
    table = change.table.name
    match change:
        case Insert():
            columns, conflict = ", ".join(change.columns), change.on_conflict("workspace")
            sql = f"INSERT INTO {table} ({columns}) SELECT {', '.join(names)} FROM {rows}{conflict}"
            updates = change.replace or change.add
            keys = tuple(change.columns.index(column) for column in change.table.key) if updates else ()
        case Update():
            first = len(change.columns) - len(change.where)
            values = [
                f"{column} = {f't.{column} + ' if column in change.add else ''}{name}"
                for column, name in zip(change.columns[:first], names, strict=False)
            ]
            sql = f"UPDATE {table} t SET {', '.join(values)} FROM {rows} WHERE {_equal(change.where, names[first:])}"
            keys = tuple(range(first, len(types)))
        case Delete():
            sql, keys = f"DELETE FROM {table} t USING {rows} WHERE {_equal(change.where, names)}", ()
    return BulkStatement(sql.encode(), types, keys)


def _equal(columns: Sequence[str], names: Sequence[str]) -> str:
    return " AND ".join(f"t.{column} = {name}" for column, name in zip(columns, names, strict=True))


def _array(values: Sequence[Any], kind: ColumnType) -> Any:
    match kind:
        case ColumnType.INTEGER if None not in values:
            return np.array(values, dtype=np.int64)
        case ColumnType.REAL:
            return [None if value is None else float(value) for value in values]
        case ColumnType.VECTOR:
            return VectorColumn(values)
        case ColumnType.TEXT:
            return [None if value is None else str(value) for value in values]
        case _:
            return list(values)
