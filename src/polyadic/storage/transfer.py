"""Copy a store row by row into an empty one.

All documents, evidence, decisions, replies and ledger entries are copied with their keys, so that nothing is derived,
embedded or requested again. The target rebuilds engine-specific tables, such as the full-text index.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from polyadic.errors import StoreError
from polyadic.storage.connection import Connection, next_page, select_in
from polyadic.storage.reader import Reader
from polyadic.storage.sql import change_log
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.meta import COPYING, GATHERED, check_usable, drop_meta, meta, put_meta
from polyadic.storage.sql.tables import CHUNK, COPIED, META
from polyadic.storage.table import ColumnType, Insert, Table

Row = Sequence[Any]
_NO_STATE = "none"
_COPIED_ROWS = {META: f"key NOT IN ('{COPYING}', 'store', '{GATHERED}', '{change_log.GENERATION}')"}
"""Conditions on the rows that are copied: the other keys of meta belong to one store."""
_CURRENT = (
    "SELECT DISTINCT r.id FROM revision r JOIN document d ON d.id = r.document AND d.current = r.id WHERE r.id {any_of}"
)
_BY_NAME = {table.name: table for table in COPIED}
_USER_DATA = ("document", "decision", "model_call", "reply", "pending_question")
"""Tables that hold a user's data: a store without rows in these counts as empty."""
_MAKERS: Mapping[ColumnType, Callable[[Any], Any]] = {ColumnType.VECTOR: HalfVector, ColumnType.BOOLEAN: bool}
"""Conversions of values to types that every engine takes."""


class CopySource:
    """One committed state of a store, in the open transaction of a connection.

    Attributes
    ----------
    reader
        A reader of the same state.
    """

    def __init__(self, connection: Connection, reader: Reader, where: object) -> None:
        self._connection = connection
        self.reader = reader
        self._where = where

    @property
    def state(self) -> str:
        """The unique name of the state. Raises StoreError if the store is itself an unfinished copy."""
        check_usable(meta(self._connection, COPYING), None, None, self._where)
        names = [meta(self._connection, key) for key in ("store", change_log.GENERATION, "hierarchy")]
        return hashlib.sha256(repr((names, self.counts())).encode()).hexdigest()

    def counts(self) -> Mapping[str, int]:
        """Return the number of rows of each table, in the order in which to copy them."""
        counts = {}
        for table in COPIED:
            sql = f"SELECT count(*) FROM {table.name} WHERE {_COPIED_ROWS.get(table, 'TRUE')}"
            (counts[table.name],) = self._connection.execute(sql).fetchone()
        return counts

    def following(self, table: str, row: Row | None) -> list[Row]:
        """Return the next rows of a table, by key, after this one (None: from the start); empty after the last."""
        known = _BY_NAME[table]
        return next_page(self._connection, known, known.names, row, where=_COPIED_ROWS.get(known, "TRUE"))


class CopyTarget(ABC):
    """A store that receives the rows of another. It cannot be read or written until the copy is finished.

    Each step is one ``transaction`` of the connection.
    """

    def __init__(
        self, connection: Connection, transaction: Callable[[], AbstractContextManager[None]], where: object
    ) -> None:
        self._connection = connection
        self._transaction = transaction
        self._where = where

    def begin(self, state: str) -> None:
        """Resume a copy of the same state; a partial copy of another state is dropped.

        Raises
        ------
        StoreError
            The store contains data that is not part of a copy.
        """
        with self._transaction():
            known = meta(self._connection, COPYING)
            if known is None and self._has_user_data():
                raise StoreError(f"{self._where} is not empty", "copy to a workspace that does not exist yet")
            if known != state:
                self._drop(state)

    def last(self, table: str) -> Row | None:
        """Return the last copied row of a table, by key; None if there is none."""
        known = _BY_NAME[table]
        if known is META:
            # There are few rows, and the target has some of its own, so all are copied again.
            return None
        descending = ", ".join(f"{column} DESC" for column in known.key)
        sql = f"SELECT {', '.join(known.key)} FROM {table} ORDER BY {descending} LIMIT 1"
        row: Row | None = self._connection.execute(sql).fetchone()
        return row

    def put(self, table: str, rows: Sequence[Row]) -> None:
        """Append rows to a table with the engine's index entries for them, and commit."""
        known = _BY_NAME[table]
        with self._transaction():
            self._prepare(known, rows)
            makers = [_MAKERS.get(column.type) for column in known.columns]
            self._connection.change(
                Insert(known, known.names, replace=("value",) if known is META else ()),
                [[make(one) if make else one for make, one in zip(makers, row, strict=True)] for row in rows],
            )
            self._complete(known, rows)

    def settle(self) -> None:
        """Compute what depends on all rows; call it after the last row."""
        with self._transaction():
            change_log.begin_anew(self._connection)

    def drop(self) -> None:
        """Delete all copied rows; the next copy starts from the beginning."""
        with self._transaction():
            self._drop(_NO_STATE)

    def finish(self) -> None:
        """Open the store for reading and writing."""
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

    def _index_words(self, chunks: Sequence[Row], index: Callable[[int, Container[int]], None]) -> None:
        """Call ``index`` with the current revisions of chunks, and with the chunks (table keys)."""
        revisions = sorted({row[CHUNK.place("revision")] for row in chunks})
        keys = {row[CHUNK.place("id")] for row in chunks}
        for (revision,) in select_in(self._connection, _CURRENT, revisions):
            index(revision, keys)

    @abstractmethod
    def _clear(self) -> None:
        """Empty the engine-specific tables."""

    def _prepare(self, table: Table, rows: Sequence[Row]) -> None:  # noqa: B027 - few engines need it
        """Prepare a table before rows are inserted."""

    @abstractmethod
    def _complete(self, table: Table, rows: Sequence[Row]) -> None:
        """Fill the engine-specific tables for inserted rows."""


def copy_rows(original: CopySource, duplicate: CopyTarget) -> Iterator[int]:
    """Copy the rows that the duplicate lacks, table by table; yields the number of rows of each batch."""
    for table in original.counts():
        last = duplicate.last(table)
        while rows := original.following(table, last):
            duplicate.put(table, rows)
            last = rows[-1]
            yield len(rows)
