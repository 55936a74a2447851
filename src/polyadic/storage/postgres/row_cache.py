"""Bounded per-transaction caches of what is read about rows.

Readers request the same rows repeatedly. A transaction sees one state, so cached records stay valid until it ends.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from polyadic.storage.incidence import Integers, among, distinct, matches
from polyadic.storage.postgres.query_batch import CommonTableExpression, QueryBatch, Records, parse_rows, parsed

MOST_BYTES = 2**24
"""Bytes of numeric records that a cache keeps, besides those read last."""
MOST_OBJECTS = 10_000
"""Objects that a cache keeps, besides those read last."""
ROWS = "?::bigint[]"
"""Placeholder for the rows in a query for records."""

T = TypeVar("T")


class RowCache:
    """Numeric records, any number per row.

    Parameters
    ----------
    columns
        Numpy fields that follow the row in a record, in network byte order.
    sql
        Query for the concatenated records, with ROWS in place of the rows.
    then
        Column that orders the records of one row.
    """

    _page_size = sys.maxsize
    """Rows read by one statement."""

    def __init__(
        self, batch: QueryBatch, columns: Sequence[tuple[Any, ...]], sql: str, then: str | None = None
    ) -> None:
        self._batch = batch
        self._columns = np.dtype([("row", ">i8"), *columns])
        self._sql = sql
        self._order = then
        self._queued = np.zeros(0, dtype=np.int64)
        self._clear()

    def prefetch(self, rows: Integers) -> Integers:
        """Read the records of rows with the next statement; return those that are neither cached nor queued already."""
        return self._queue(rows[~among(rows, self._rows)])

    def prefetch_found(
        self, rows: str, parameters: Sequence[Any] = (), source: CommonTableExpression | None = None
    ) -> None:
        """Read the records of the rows that a query finds with the next statement.

        The rows must be distinct, if the query for records does not see to that, and each must have at least one.
        """

        def take(value: Any) -> None:
            records = self._parsed(value)
            self._add(distinct(records["row"]), records)

        sql = self._sql.replace(ROWS, f"ARRAY({rows})")
        self._batch.later(sql, parameters, take, source)

    def of(self, rows: Integers) -> tuple[Records, Integers]:
        """Return the records of rows, row by row, and for each record the index of its row in ``rows``."""
        if self._is_full():
            self._clear()
        for start in range(0, len(rows), self._page_size):
            page = rows[start : start + self._page_size]
            missing = page[~among(page, self._rows)]
            if len(missing):
                self._queue(missing)
                self._batch.run()
        return self.cached(rows)

    def cached(self, rows: Integers) -> tuple[Records, Integers]:
        """Return the same without reading: only what is cached."""
        places, owners = matches(self._records["row"], rows)
        return self._records[places], owners

    def _queue(self, missing: Integers) -> Integers:
        new = distinct(missing)
        new = new[~among(new, self._queued)]
        if len(new):
            self._queued = distinct(self._queued, new)
            self._batch.later(self._sql, (new,), lambda value: self._add(new, self._parsed(value)))
        return new

    def _parsed(self, value: Any) -> Records:
        return parsed(value, self._columns)

    def _is_full(self) -> bool:
        return self._records.nbytes > MOST_BYTES

    def _clear(self) -> None:
        self._rows = np.zeros(0, dtype=np.int64)
        self._records = np.zeros(0, dtype=self._columns.newbyteorder("="))

    def _add(self, rows: Integers, records: Records) -> None:
        new = records[~among(records["row"], self._rows)]
        self._rows = distinct(self._rows, rows)
        self._queued = self._queued[~among(self._queued, rows)]
        if len(new):
            records = np.concatenate([self._records, new])
            keys = (records["row"],) if self._order is None else (records[self._order], records["row"])
            self._records = records[np.lexsort(keys)]


class ObjectCache(RowCache, Generic[T]):
    """One object per row, made from JSON.

    Parameters
    ----------
    sql
        Query for a JSON array, with ROWS in place of the rows, all of which must exist.
    make
        Makes the objects of rows from the array.
    """

    _page_size = 512

    def __init__(self, batch: QueryBatch, sql: str, make: Callable[[list[list[Any]]], Mapping[int, T]]) -> None:
        super().__init__(batch, [("object", object)], sql)
        self._make = make

    def objects(self, rows: Integers) -> list[T]:
        """Return the object of each row."""
        objects: list[T] = self.of(rows)[0]["object"].tolist()
        return objects

    def _parsed(self, value: Any) -> Records:
        return np.array([*self._make(parse_rows(value)).items()], dtype=self._columns)

    def _is_full(self) -> bool:
        return len(self._records) > MOST_OBJECTS
