"""Copy a store row by row into an empty one.

All documents, evidence, decisions, replies and ledger entries are copied with their keys, so that nothing is derived,
embedded or requested again. The target rebuilds engine-specific tables, such as the full-text index.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from polyadic.errors import StoreError
from polyadic.storage.connection import Connection, next_page, select_in
from polyadic.storage.reader import Reader
from polyadic.storage.sql import change_log
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.meta import COPYING, GATHERED, check_whole, drop_meta, meta, put_meta
from polyadic.storage.sql.tables import CHUNK, COPIED
from polyadic.storage.sql.writer import SqlWriter
from polyadic.storage.table import ColumnType, Insert, Table
from polyadic.storage.transfer import Row

_NO_STATE = "none"
_NOT_COPIED = (COPYING, "store", GATHERED, change_log.GENERATION)
"""Keys of meta that belong to one store."""
_CURRENT = (
    "SELECT DISTINCT r.id FROM revision r JOIN document d ON d.id = r.document AND d.current = r.id WHERE r.id {any_of}"
)
_BY_NAME = {table.name: table for table in COPIED}
_USER_DATA = ("document", "decision", "model_call", "reply", "pending_question")
"""Tables that hold a user's data: a store without rows in these counts as empty."""
_MAKERS: Mapping[ColumnType, Callable[[Any], Any]] = {ColumnType.VECTOR: HalfVector, ColumnType.BOOLEAN: bool}
"""Conversions of values to types that every engine takes."""


class SqlCopySource:
    """Implements :class:`polyadic.storage.transfer.CopySource` within the open transaction of a connection."""

    def __init__(self, connection: Connection, reader: Reader, where: object) -> None:
        self._connection = connection
        self.reader = reader
        self._where = where

    @property
    def state(self) -> str:
        check_whole(meta(self._connection, COPYING), self._where)
        names = [meta(self._connection, key) for key in ("store", change_log.GENERATION, "hierarchy")]
        return hashlib.sha256(repr((names, self.counts())).encode()).hexdigest()

    def counts(self) -> Mapping[str, int]:
        return {table.name: self._count(table.name) for table in COPIED}

    def following(self, table: str, row: Row | None) -> list[Row]:
        return next_page(self._connection, _BY_NAME[table], _BY_NAME[table].names, row)

    def _count(self, table: str) -> int:
        exclusion = f" WHERE key NOT IN ({', '.join('?' * len(_NOT_COPIED))})" if table == "meta" else ""
        cursor = self._connection.execute(f"SELECT count(*) FROM {table}{exclusion}", _NOT_COPIED if exclusion else ())
        return int(cursor.fetchone()[0])


class SqlCopyTarget(ABC):
    """Implements :class:`polyadic.storage.transfer.CopyTarget`; each step is one ``transaction`` of the connection."""

    def __init__(
        self, connection: Connection, transaction: Callable[[], AbstractContextManager[None]], where: object
    ) -> None:
        self._connection = connection
        self._transaction = transaction
        self._where = where

    def begin(self, state: str) -> None:
        with self._transaction():
            known = meta(self._connection, COPYING)
            if known is None and self._has_user_data():
                raise StoreError(f"{self._where} is not empty", "copy to a workspace that does not exist yet")
            if known != state:
                self._drop(state)

    def last(self, table: str) -> Row | None:
        known = _BY_NAME[table]
        if table == "meta":
            # There are few rows, and the target has some of its own, so all are copied again.
            return None
        descending = ", ".join(f"{column} DESC" for column in known.key)
        sql = f"SELECT {', '.join(known.key)} FROM {table} ORDER BY {descending} LIMIT 1"
        row: Row | None = self._connection.execute(sql).fetchone()
        return row

    def put(self, table: str, rows: Sequence[Row]) -> None:
        known = _BY_NAME[table]
        with self._transaction():
            if table == "meta":
                for key, value in rows:
                    if key not in _NOT_COPIED:
                        put_meta(self._connection, key, value)
                return
            makers = [_MAKERS.get(column.type) for column in known.columns]
            self._prepare(known, rows)
            self._connection.change(
                Insert(known, known.names),
                [[make(one) if make else one for make, one in zip(makers, row, strict=True)] for row in rows],
            )
            self._complete(known, rows)

    def settle(self) -> None:
        with self._transaction():
            change_log.begin_anew(self._connection)

    def drop(self) -> None:
        with self._transaction():
            self._drop(_NO_STATE)

    def finish(self) -> None:
        with self._transaction():
            drop_meta(self._connection, COPYING)

    def _drop(self, state: str) -> None:
        for table in reversed(COPIED):
            self._connection.execute(f"DELETE FROM {table.name}")
        self._clear()
        put_meta(self._connection, COPYING, state)

    def _has_user_data(self) -> bool:
        condition = " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in _USER_DATA)
        return bool(self._connection.execute(f"SELECT {condition}").fetchone()[0])

    def _index_words(self, writer: SqlWriter, chunks: Sequence[Row]) -> None:
        """Add those of the chunks that belong to current revisions to the full-text index."""
        revisions = sorted({row[CHUNK.place("revision")] for row in chunks})
        keys = {row[CHUNK.place("id")] for row in chunks}
        for (revision,) in select_in(self._connection, _CURRENT, revisions):
            writer.index_words(revision, keys)

    @abstractmethod
    def _clear(self) -> None:
        """Empty the engine-specific tables."""

    def _prepare(self, table: Table, rows: Sequence[Row]) -> None:  # noqa: B027 - few engines need it
        """Prepare a table before rows are inserted."""

    @abstractmethod
    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        """Fill the engine-specific tables for inserted rows."""
