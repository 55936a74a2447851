"""Writing many rows by one statement, where the statement says it for one.

Row by row a server takes three times as long for each, and so does who sends them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg

from polyadic.store.tables.half_precision import HalfVector

_INSERT = re.compile(
    r"INSERT INTO (?P<table>\w+) \((?P<columns>[^()]*)\) VALUES \((?P<values>[^()]*)\)(?P<rest>(?: ON CONFLICT .*)?)"
)
_INTEGER, _NUMBER, _VECTOR = "bigint", "double precision", "halfvec"


class VectorColumn(list[HalfVector]):
    """Vectors that are sent as one array."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A statement for many rows, whose parameters are the columns of these, and the types of the columns."""

    sql: bytes
    types: tuple[str, ...]

    @classmethod
    def known(cls, sql: str, connection: psycopg.Connection[Any]) -> "Insertion | None":
        """As :meth:`of`, worked out once for each statement."""
        if sql not in _insertions:
            _insertions[sql] = cls.of(sql, connection)
        return _insertions[sql]

    @classmethod
    def of(cls, sql: str, connection: psycopg.Connection[Any]) -> "Insertion | None":
        """What does for many rows what a statement does for one, with ``%s`` where a value stands; None of others.

        As it says nothing of the order in which rows are written, no two of them may be in conflict with each other.
        """
        said = _INSERT.fullmatch(sql)
        if said is None:
            return None
        columns, values = (re.split(r",\s*", said[part]) for part in ("columns", "values"))
        types = _types(said["table"], connection)
        given = [types[column] for column, value in zip(columns, values, strict=True) if value == "%s"]
        names = [f"c{number}" for number in range(len(given))]
        coming = iter(names)
        each = ", ".join(next(coming) if value == "%s" else value for value in values)
        arrays = ", ".join(f"%s::{kind}[]" for kind in given)
        source = f"SELECT {each} FROM unnest({arrays}) v ({', '.join(names)})"
        return cls(f"INSERT INTO {said['table']} ({said['columns']}) {source}{said['rest']}".encode(), tuple(given))

    def parameters(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """The columns of these rows."""
        return [_array(column, kind) for column, kind in zip(zip(*rows, strict=True), self.types, strict=True)]


_insertions: dict[str, Insertion | None] = {}
_known: dict[str, Mapping[str, str]] = {}


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
