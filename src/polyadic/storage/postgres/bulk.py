"""Writing many rows by one statement, where the statement says it for one.

Row by row a server takes three times as long for each, and so does who sends them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import psycopg

from polyadic.storage.sql.half_precision import HalfVector

_INSERT = re.compile(
    r"INSERT INTO (?P<table>\w+) \((?P<columns>[^()]*)\) VALUES \((?P<values>[^()]*)\)(?P<rest>(?: ON CONFLICT .*)?)"
)
_CHANGE = re.compile(
    r"(?:UPDATE (?=\w+ SET )|DELETE FROM )(?P<table>\w+) (?P<set>(?:SET .*?)?) ?WHERE (?P<where>(?:(?! WHERE ).)*)"
)
# A text that may be long is found by its digest, for which row-level security lets no index be used in a join.
_BESIDE = re.compile(
    r"(?P<before>\b(?P<column>\w+?)(?P<brief>_brief)? (?:= (?:\w+ [+-] )?|IN \(brief\(\w+\.\w+\),brief\())%s"
)
_MET = re.compile(r" ON CONFLICT \(workspace, (?P<columns>[^()]*)\) DO UPDATE .*")
_INTEGER, _NUMBER, _VECTOR = "bigint", "double precision", "halfvec"


class VectorColumn(list[HalfVector]):
    """Vectors that are sent as one array."""


@dataclass(frozen=True, slots=True)
class BulkStatement:
    """A statement for many rows, whose parameters are the columns of these, and the types of the columns.

    ``keys`` are the places of the columns that say which row of the table is changed; none where rows are only added.
    """

    sql: bytes
    types: tuple[str, ...]
    keys: tuple[int, ...] = ()

    @classmethod
    def known(cls, sql: str, connection: psycopg.Connection[Any]) -> "BulkStatement | None":
        """What does for many rows what a statement does for one, with ``%s`` where a value stands; None of some."""
        if sql not in _statements:
            _statements[sql] = _inserting(sql, connection) or _changing(sql, connection)
        return _statements[sql]

    def rounds(self, rows: Sequence[Sequence[Any]]) -> list[list[Sequence[Any]]]:
        """The rows in turns of which each changes no row of the table twice, as one statement makes one change of it.

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
        """The columns of these rows."""
        return [_array(column, kind) for column, kind in zip(zip(*rows, strict=True), self.types, strict=True)]


_statements: dict[str, BulkStatement | None] = {}
_known: dict[str, Mapping[str, str]] = {}


def _inserting(sql: str, connection: psycopg.Connection[Any]) -> BulkStatement | None:
    said = _INSERT.fullmatch(sql)
    if said is None:
        return None
    columns, values = (re.split(r",\s*", said[part]) for part in ("columns", "values"))
    types = _types(said["table"], connection)
    given = [column for column, value in zip(columns, values, strict=True) if value == "%s"]
    names = map("c{}".format, range(len(given)))
    each = ", ".join(next(names) if value == "%s" else value for value in values)
    source = f"SELECT {each} FROM {_rows([types[column] for column in given])}"
    met = _MET.fullmatch(said["rest"])
    conflicting = [column.removesuffix("_brief") for column in met["columns"].split(", ")] if met else []
    return BulkStatement(
        f"INSERT INTO {said['table']} ({said['columns']}) {source}{said['rest']}".encode(),
        tuple(types[column] for column in given),
        tuple(place for place, column in enumerate(given) if column in conflicting),
    )


def _changing(sql: str, connection: psycopg.Connection[Any]) -> BulkStatement | None:
    """Of a statement that changes or deletes rows, where each value stands beside the column that it is for."""
    said, beside = _CHANGE.fullmatch(sql), list(_BESIDE.finditer(sql))
    if said is None or len(beside) != sql.count("%s"):
        return None
    types = _types(said["table"], connection)
    given = ["text" if found["brief"] else types[found["column"]] for found in beside]
    numbers = count()
    set_, where = (
        _BESIDE.sub(lambda found: f"{found['before']}c{next(numbers)}", said[part]) for part in ("set", "where")
    )
    what = f"UPDATE {said['table']} {set_} FROM" if said["set"] else f"DELETE FROM {said['table']} USING"
    keys = range(said["set"].count("%s"), len(given)) if said["set"] else ()
    return BulkStatement(f"{what} {_rows(given)} WHERE {where}".encode(), tuple(given), tuple(keys))


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
