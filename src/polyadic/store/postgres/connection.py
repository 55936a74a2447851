"""A connection to PostgreSQL that takes the statements which all engines share."""

import re
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

from polyadic.store.connection import Cursor
from polyadic.store.postgres.many import ForMany, VectorColumn
from polyadic.store.tables.half_precision import HALF, HalfVector

# PostgreSQL takes no NUL in a text. It stands there as two characters, of which the first is one that no text has.
_NUL, _ESCAPE = "\0", "\U0010ffff"
_AS_NUL, _AS_ESCAPE = f"{_ESCAPE}0", f"{_ESCAPE}1"
_MARK = re.compile(r"\?")
_HINT = re.compile(r" INDEXED BY \w+")  # for SQLite, which knows less of what is in its tables
_CONFLICT = re.compile(r"ON CONFLICT \(([^)]*)\)")
# What is compared here with columns that hold texts of any length (schema_2.py).
_COMPARED = re.compile(
    r"(?<![\w.])(?P<column>(?:r\.)?(?:key|loose|title_key|title_bare|value))"
    r" (?:= (?P<one>\?|r\.\w+)|IN \((?P<any>[^()]*)\))"
)
_INTEGER, _OF_INTEGERS = 20, 1016
"""The numbers of the types bigint and bigint[], which are the same in every database."""
IN_VIEW = 1_000
"""Neighbours that pgvector keeps in view at once (hnsw.ef_search): as many as it can. Of the 60 nearest among 100,000
facts it finds 0.995 so, and 0.960 with 250."""
_SCANNING_ON = (0, 8)
"""The first version of pgvector that scans an index on until enough is found."""
_ROWS_AT_ONCE = 1_000
"""That are written by one statement."""
_SHORT_TEXTS = re.compile(r"\bmeta\b")


class PostgresConnection:
    """Implements :class:`polyadic.store.connection.Connection` within the transaction of a connection."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        return self._connection.execute(translated(sql), parameters, binary=True)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        rows, translation = list(parameters), translated(sql)
        together = ForMany.known(translation.decode(), self._connection) if len(rows) > 1 else None
        if together is None or not together.fits(rows):
            with self._connection.cursor() as cursor:
                cursor.executemany(translation, rows)
            return
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            self._connection.execute(together.sql, together.parameters(rows[start : start + _ROWS_AT_ONCE]))

    def close(self) -> None:
        self._connection.close()


@lru_cache(maxsize=4_096)
def translated(sql: str) -> bytes:
    """A statement as PostgreSQL has it: keys of tables begin with the workspace, long texts are found by digests.

    >>> translated("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO NOTHING")
    b'INSERT INTO meta VALUES (%s, %s) ON CONFLICT (workspace, key) DO NOTHING'
    >>> translated("SELECT key, id FROM entity WHERE key IN (?,?)")
    b'SELECT key, id FROM entity WHERE key_brief IN (brief(%s),brief(%s))'
    """
    if not _SHORT_TEXTS.search(sql):
        sql = _CONFLICT.sub(lambda found: found[0].replace("value", "value_brief"), _COMPARED.sub(_briefly, sql))
    marked = _MARK.sub("%s", _HINT.sub("", sql).replace("%", "%%"))
    return marked.replace("ON CONFLICT (", "ON CONFLICT (workspace, ").encode()


def _briefly(found: re.Match[str]) -> str:
    """A comparison with a text that may be long, by digests."""
    column = f"{found['column']}_brief"
    if found["one"]:
        return f"{column} = {_brief(found['one'])}"
    return f"{column} IN ({','.join(_brief(one.strip()) for one in found['any'].split(','))})"


def _brief(text: str) -> str:
    return f"{text}_brief" if text.startswith("r.") else f"brief({text})"


def adapt(connection: psycopg.Connection[Any]) -> None:
    """Let a connection pass texts and vectors as the tables have them, and scan indexes until enough is found."""
    halfvec = TypeInfo.fetch(connection, "halfvec")
    if halfvec is None:
        raise psycopg.ProgrammingError("the extension vector (pgvector), of version 0.7 or later, is not there")
    ((version,),) = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()
    if tuple(map(int, version.split(".")[:2])) >= _SCANNING_ON:
        connection.execute("SET hnsw.iterative_scan = relaxed_order")
    connection.execute(f"SET hnsw.ef_search = {IN_VIEW}".encode())
    adapters = connection.adapters
    halfvec.register(connection)
    adapters.register_dumper(HalfVector, _dumper(halfvec))
    adapters.register_dumper(VectorColumn, _column_dumper(halfvec))
    adapters.register_loader(halfvec.oid, _VectorLoader)
    adapters.register_dumper(str, _TextDumper)
    adapters.register_dumper(np.ndarray, _RowsDumper)
    _register_texts(adapters)


def _register_texts(adapters: AdaptersMap) -> None:
    for name in ("text", "varchar"):
        adapters.register_loader(name, _TextLoader)


def _dumper(halfvec: TypeInfo) -> type[Dumper]:
    """The dumper of vectors, whose type has another number in every database."""
    return type("VectorDumper", (_VectorDumper,), {"oid": halfvec.oid})


def _column_dumper(halfvec: TypeInfo) -> type[Dumper]:
    """The same of many at once."""
    return type("ColumnDumper", (_ColumnDumper,), {"oid": halfvec.array_oid, "element": halfvec.oid})


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> Buffer:
        return _sent(obj)


class _ColumnDumper(Dumper):
    format = Format.BINARY
    element: int

    def dump(self, obj: VectorColumn) -> Buffer:
        vectors = [_sent(vector) for vector in obj]
        elements = b"".join(struct.pack(">I", len(vector)) + vector for vector in vectors)
        return struct.pack(">IIIII", 1, 0, self.element, len(vectors), 1) + elements


def _sent(vector: HalfVector) -> bytes:
    return struct.pack(">HH", vector.width, 0) + np.frombuffer(vector, dtype=HALF).byteswap().tobytes()


class _RowsDumper(Dumper):
    """Of arrays of integers, which come by the thousand: not one by one, as psycopg has lists."""

    format = Format.BINARY
    oid = _OF_INTEGERS

    def dump(self, obj: NDArray[np.int64]) -> Buffer:
        elements = np.empty(len(obj), dtype=[("bytes", ">i4"), ("value", ">i8")])
        elements["bytes"], elements["value"] = 8, obj
        return struct.pack(">IIIII", 1, 0, _INTEGER, len(obj), 1) + elements.tobytes()


class _VectorLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> HalfVector:
        return HalfVector(np.frombuffer(data, dtype=HALF, offset=4).byteswap().tobytes())


class _TextDumper(Dumper):
    format = Format.TEXT

    def dump(self, obj: str) -> Buffer:
        if _ESCAPE in obj or _NUL in obj:
            obj = obj.replace(_ESCAPE, _AS_ESCAPE).replace(_NUL, _AS_NUL)
        return obj.encode()


class _TextLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        text = bytes(data).decode()
        return text.replace(_AS_NUL, _NUL).replace(_AS_ESCAPE, _ESCAPE) if _ESCAPE in text else text
