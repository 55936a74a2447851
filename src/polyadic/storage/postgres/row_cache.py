"""Bounded per-transaction caches of row records.

Readers request the same rows repeatedly. A transaction sees one state, so cached records stay valid until it ends.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from polyadic.storage.incidence import Integers, among, distinct, matches
from polyadic.storage.postgres.query_batch import CommonTableExpression, QueryBatch, Records, SubQuery, parsed

MOST_KEPT = 2**24
"""Bytes of records that a cache keeps, besides those read last."""
MOST_VALUES = 10_000
"""Values that a cache keeps, besides those read last."""
_PAGE_SIZE = 512
"""Values read by one statement."""
ROWS = "?::bigint[]"
"""Placeholder for the rows in a query for records."""

T = TypeVar("T")


class RowCache:
    """Cache of records, any number per row.

    Parameters
    ----------
    columns
        Numpy fields that follow the row in a record, in network byte order.
    sql
        Query for the records, with ROWS in place of the rows.
    then
        Column that orders the records of one row.
    """

    def __init__(self, columns: Sequence[tuple[Any, ...]], sql: str, then: str | None = None) -> None:
        self._dtype = np.dtype([("row", ">i8"), *columns])
        self._sql = sql
        self._order = then
        self._clear()

    def part(self, rows: Integers) -> SubQuery | None:
        """Make the subquery that reads the missing records of rows; None if all are cached.

        A full cache is cleared first.
        """
        self._clear_if_full()
        missing = distinct(rows[~among(rows, self._rows)])
        if not len(missing):
            return None
        return SubQuery(self._sql, (missing,), lambda data: self._add(missing, parsed(data, self._dtype)))

    def part_of(
        self, rows: str, parameters: Sequence[Any] = (), ground: CommonTableExpression | None = None
    ) -> SubQuery:
        """Make the subquery that reads the records of the rows that a query finds; each row must have at least one."""
        sql = self._sql.replace(ROWS, f"ARRAY({rows})")
        return SubQuery(sql, parameters, lambda data: self._add_complete(parsed(data, self._dtype)), ground)

    def of(self, rows: Integers) -> tuple[Records, Integers]:
        """Return the cached records of rows, row by row, and for each record the index of its row in ``rows``."""
        places, owners = matches(self._records["row"], rows)
        return self._records[places], owners

    def learn(self, records: Sequence[tuple[Any, ...]]) -> None:
        """Add records that were read elsewhere: each begins with its row, and all records of a row must be given."""
        self._clear_if_full()
        self._add_complete(np.array(records, dtype=self._records.dtype))

    def _clear_if_full(self) -> None:
        if self._records.nbytes > MOST_KEPT:
            self._clear()

    def _clear(self) -> None:
        self._rows = np.zeros(0, dtype=np.int64)
        self._records = parsed(b"", self._dtype)

    def _add_complete(self, records: Records) -> None:
        self._add(distinct(records["row"]), records)

    def _add(self, rows: Integers, records: Records) -> None:
        new = records[~among(records["row"], self._rows)]
        self._rows = distinct(self._rows, rows)
        if len(new):
            records = np.concatenate([self._records, new])
            keys = (records["row"],) if self._order is None else (records[self._order], records["row"])
            self._records = records[np.lexsort(keys)]


class ValueCache(Generic[T]):
    """Cache of one value per row.

    Parameters
    ----------
    parts_of
        Makes the subqueries that read the values of rows and pass them to ``learn``; all rows must exist.
    """

    def __init__(self, asking: QueryBatch, parts_of: Callable[[Integers], list[SubQuery]]) -> None:
        self._asking = asking
        self._parts_of = parts_of
        self._known: dict[int, T] = {}
        self._is_queued = False

    def prefetch(self, rows: Integers) -> None:
        """Read the missing values of rows with the next statement."""
        for page in self._missing(rows):
            self._asking.later(*self._parts_of(page))
            self._is_queued = True

    def of(self, rows: Integers) -> list[T]:
        """Return the values of rows; read the missing ones."""
        if len(self._known) > MOST_VALUES:
            self._known.clear()
        if self._is_queued and self._missing(rows):
            self._asking.read_waiting()
            self._is_queued = False
        for page in self._missing(rows):
            self._asking.read(*self._parts_of(page))
        return [self._known[row] for row in rows.tolist()]

    def learn(self, values: Mapping[int, T]) -> None:
        self._known |= values

    def _missing(self, rows: Integers) -> list[Integers]:
        """Return the rows without cached values, in pages of one statement each."""
        missing = np.array([row for row in dict.fromkeys(rows.tolist()) if row not in self._known], dtype=np.int64)
        return [missing[start : start + _PAGE_SIZE] for start in range(0, len(missing), _PAGE_SIZE)]
