"""Rewrite single-row statements so that one statement writes many rows.

Written one by one, rows take both the server and the client three times as long.
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
# Comparisons of the form "x_digest = short_digest(%s)" are left out: under row-level security, a join does not use the
# index on the digest, so statements with them stay single-row.
_COMPARED = re.compile(
    r"(?P<before>\b(?P<column>\w+?)(?P<hashed>_digest)? (?:= (?:\w+ [+-] )?|IN"
    r" \(short_digest\(\w+\.\w+\),short_digest\())%s"
)
_UPSERT = re.compile(r" ON CONFLICT \(workspace, (?P<columns>[^()]*)\) DO UPDATE .*")
_INTEGER, _NUMBER, _VECTOR = "bigint", "double precision", "halfvec"


class VectorColumn(list[HalfVector]):
    """A column of vectors, sent as one array."""


@dataclass(frozen=True, slots=True)
class BulkStatement:
    """A statement for many rows; its parameters are one array per column.

    ``types`` are the types of the columns. ``keys`` are the indexes of the columns that identify the changed row; empty
    if rows are only inserted.
    """

    sql: bytes
    types: tuple[str, ...]
    keys: tuple[int, ...] = ()

    @classmethod
    def known(cls, sql: str, connection: psycopg.Connection[Any]) -> "BulkStatement | None":
        """Return the bulk form of a statement with ``%s`` placeholders; None if it has none."""
        if sql not in _statements:
            _statements[sql] = _bulk_insert(sql, connection) or _bulk_change(sql, connection)
        return _statements[sql]

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


_statements: dict[str, BulkStatement | None] = {}
_column_types: dict[str, Mapping[str, str]] = {}


def _bulk_insert(sql: str, connection: psycopg.Connection[Any]) -> BulkStatement | None:
    match = _INSERT.fullmatch(sql)
    if match is None:
        return None
    columns, values = (re.split(r",\s*", match[part]) for part in ("columns", "values"))
    types = _types_of(match["table"], connection)
    bound = [column for column, value in zip(columns, values, strict=True) if value == "%s"]
    names = map("c{}".format, range(len(bound)))
    each = ", ".join(next(names) if value == "%s" else value for value in values)
    source = f"SELECT {each} FROM {_rows_sql([types[column] for column in bound])}"
    upsert = _UPSERT.fullmatch(match["rest"])
    conflicting = [column.removesuffix("_digest") for column in upsert["columns"].split(", ")] if upsert else []
    return BulkStatement(
        f"INSERT INTO {match['table']} ({match['columns']}) {source}{match['rest']}".encode(),
        tuple(types[column] for column in bound),
        tuple(place for place, column in enumerate(bound) if column in conflicting),
    )


def _bulk_change(sql: str, connection: psycopg.Connection[Any]) -> BulkStatement | None:
    """Rewrite an UPDATE or DELETE in which every placeholder is compared with, or assigned to, a column."""
    match, comparisons = _CHANGE.fullmatch(sql), list(_COMPARED.finditer(sql))
    if match is None or len(comparisons) != sql.count("%s"):
        return None
    types = _types_of(match["table"], connection)
    bound = ["text" if found["hashed"] else types[found["column"]] for found in comparisons]
    numbers = count()
    set_, where = (
        _COMPARED.sub(lambda found: f"{found['before']}c{next(numbers)}", match[part]) for part in ("set", "where")
    )
    what = f"UPDATE {match['table']} {set_} FROM" if match["set"] else f"DELETE FROM {match['table']} USING"
    keys = range(match["set"].count("%s"), len(bound)) if match["set"] else ()
    return BulkStatement(f"{what} {_rows_sql(bound)} WHERE {where}".encode(), tuple(bound), tuple(keys))


def _rows_sql(types: Sequence[str]) -> str:
    """Make the FROM item that unnests arrays into columns c0, c1 and so on."""
    arrays = ", ".join(f"%s::{kind}[]" for kind in types)
    return f"unnest({arrays}) v ({', '.join(map('c{}'.format, range(len(types))))})"


def _types_of(table: str, connection: psycopg.Connection[Any]) -> Mapping[str, str]:
    """Return the column types of a table; cached for all databases, as all have the same schema version."""
    if table not in _column_types:
        rows = connection.execute(
            "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute"
            " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            (table,),
        )
        _column_types[table] = dict(rows.fetchall())
    return _column_types[table]


def _array(values: Sequence[Any], kind: str) -> Any:
    if kind == _INTEGER and None not in values:
        return np.array(values, dtype=np.int64)
    if kind == _NUMBER:
        return [None if value is None else float(value) for value in values]
    if kind == _VECTOR:
        return VectorColumn(values)
    return list(values)
