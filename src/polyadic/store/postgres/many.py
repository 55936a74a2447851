"""Writing many rows by one statement, where the statement says it for one.

Row by row a server takes three times as long for each, and so does who sends them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import psycopg

from polyadic.store.tables.half_precision import HalfVector

_INSERT = re.compile(
    r"INSERT INTO (?P<table>\w+) \((?P<columns>[^()]*)\) VALUES \((?P<values>[^()]*)\)(?P<rest>(?: ON CONFLICT .*)?)"
)
_CHANGE = re.compile(
    r"(?:UPDATE (?=\w+ SET )|DELETE FROM )(?P<table>\w+) (?P<set>(?:SET .*?)?) ?WHERE (?P<where>(?:(?! WHERE ).)*)"
)
_BESIDE = re.compile(r"(?P<before>\b(?P<column>\w+?)(?:_brief)? = (?:\w+ [+-] |brief\()?)%s")
_INTEGER, _NUMBER, _VECTOR = "bigint", "double precision", "halfvec"


class VectorColumn(list[HalfVector]):
    """Vectors that are sent as one array."""


@dataclass(frozen=True, slots=True)
class ForMany:
    """A statement for many rows, whose parameters are the columns of these, and the types of the columns.

    Of a statement that changes rows, the columns from ``keys`` on say which row of the table is meant.
    """

    sql: bytes
    types: tuple[str, ...]
    keys: int | None = None

    @classmethod
    def known(cls, sql: str, connection: psycopg.Connection[Any]) -> "ForMany | None":
        """What does for many rows what a statement does for one, with ``%s`` where a value stands; None of some."""
        if sql not in _statements:
            _statements[sql] = _inserting(sql, connection) or _changing(sql, connection)
        return _statements[sql]

    def fits(self, rows: Sequence[Sequence[Any]]) -> bool:
        """Whether no two of these change the same row of the table, of which it would make one of the changes."""
        return self.keys is None or len({tuple(row[self.keys :]) for row in rows}) == len(rows)

    def parameters(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """The columns of these rows."""
        return [_array(column, kind) for column, kind in zip(zip(*rows, strict=True), self.types, strict=True)]


_statements: dict[str, ForMany | None] = {}
_known: dict[str, Mapping[str, str]] = {}


def _inserting(sql: str, connection: psycopg.Connection[Any]) -> ForMany | None:
    said = _INSERT.fullmatch(sql)
    if said is None:
        return None
    columns, values = (re.split(r",\s*", said[part]) for part in ("columns", "values"))
    types = _types(said["table"], connection)
    given = [types[column] for column, value in zip(columns, values, strict=True) if value == "%s"]
    names = map("c{}".format, range(len(given)))
    each = ", ".join(next(names) if value == "%s" else value for value in values)
    source = f"SELECT {each} FROM {_rows(given)}"
    return ForMany(f"INSERT INTO {said['table']} ({said['columns']}) {source}{said['rest']}".encode(), tuple(given))


def _changing(sql: str, connection: psycopg.Connection[Any]) -> ForMany | None:
    """Of a statement that changes or deletes rows, where each value stands beside the column that it is for."""
    said = _CHANGE.fullmatch(sql)
    columns = [found["column"] for found in _BESIDE.finditer(sql)]
    if said is None or len(columns) != sql.count("%s"):
        return None
    types = _types(said["table"], connection)
    given = [types[column] for column in columns]
    numbers = count()
    beside = [_BESIDE.sub(lambda found: f"{found['before']}c{next(numbers)}", said[part]) for part in ("set", "where")]
    what = f"UPDATE {said['table']} {beside[0]} FROM" if said["set"] else f"DELETE FROM {said['table']} USING"
    keys = said["set"].count("%s") if said["set"] else None
    return ForMany(f"{what} {_rows(given)} WHERE {beside[1]}".encode(), tuple(given), keys)


def _rows(types: Sequence[str]) -> str:
    """Rows of the columns c0, c1 and so on, which are given as arrays."""
    arrays = ", ".join(f"%s::{kind}[]" for kind in types)
    return f"unnest({arrays}) v ({', '.join(map('c{}'.format, range(len(types))))})"


def _types(table: str, connection: psycopg.Connection[Any]) -> Mapping[str, str]:
    """The types of the columns of a table, which are the same in every database: its schema is of one version."""
    if table not in _known:
        rows = connection.execute(
            "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute"
            " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            (table,),
        )
        _known[table] = dict(rows.fetchall())
    return _known[table]


def _array(values: Sequence[Any], kind: str) -> Any:
    if kind == _INTEGER and None not in values:
        return np.array(values, dtype=np.int64)
    if kind == _NUMBER:
        return [None if value is None else float(value) for value in values]
    if kind == _VECTOR:
        return VectorColumn(values)
    return list(values)
