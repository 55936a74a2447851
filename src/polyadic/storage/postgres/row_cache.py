"""What a transaction has read of rows.

Who asks for one thing of a row soon asks for another, and asks again, so what was read is kept as long as the
transaction, which sees one state; but never much of it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from polyadic.storage.incidence import Integers, stretches
from polyadic.storage.postgres.query_batch import CommonTableExpression, QueryBatch, Records, SubQuery, parsed
from polyadic.storage.row_sets import among, distinct

MOST_KEPT = 2**24
"""Bytes of records of one kind that are kept, and those that were read last."""
MOST_VALUES = 10_000
"""Values of one kind that are kept, and those that were read last."""
_AT_ONCE = 512
"""Values that are read in one statement."""
ROWS = "?::bigint[]"
"""Where rows stand in a query for records."""

T = TypeVar("T")


class RowCache:
    """Records of rows, none, one or several of each.

    Parameters
    ----------
    columns
        What follows the row in a record, as numpy has it, in the order of bytes of networks.
    sql
        A query for the records, with ROWS where the rows stand.
    then
        The column by which the records of one row are ordered.
    """

    def __init__(self, columns: Sequence[tuple[Any, ...]], sql: str, then: str | None = None) -> None:
        self._sent = np.dtype([("row", ">i8"), *columns])
        self._sql = sql
        self._then = then
        self._forget()

    def part(self, rows: Integers) -> SubQuery | None:
        """What reads the records of rows; None where all are there.

        Where much has been read by now, as by who goes through all there is, it is forgotten first.
        """
        self._forget_much()
        lacking = distinct(rows[~among(rows, self._rows)])
        if not len(lacking):
            return None
        return SubQuery(self._sql, (lacking,), lambda data: self._learn(lacking, parsed(data, self._sent)))

    def part_of(
        self, rows: str, parameters: Sequence[Any] = (), ground: CommonTableExpression | None = None
    ) -> SubQuery:
        """What reads the records of the rows that a query finds, each of which has one at least."""
        sql = self._sql.replace(ROWS, f"ARRAY({rows})")
        return SubQuery(sql, parameters, lambda data: self._learn_all(parsed(data, self._sent)), ground)

    def of(self, rows: Integers) -> tuple[Records, Integers]:
        """The records of rows that have been read, row by row, and to which place among these each belongs."""
        firsts = self._records["row"].searchsorted(rows)
        sizes = self._records["row"].searchsorted(rows, side="right") - firsts
        places, owners = stretches(firsts, sizes)
        return self._records[places], owners

    def learn(self, records: Sequence[tuple[Any, ...]]) -> None:
        """Take up what was read otherwise: records of rows, each with the row first, and all that there are of it."""
        self._forget_much()
        self._learn_all(np.array(records, dtype=self._records.dtype))

    def _forget_much(self) -> None:
        if self._records.nbytes > MOST_KEPT:
            self._forget()

    def _forget(self) -> None:
        self._rows = np.zeros(0, dtype=np.int64)
        self._records = parsed(b"", self._sent)

    def _learn_all(self, records: Records) -> None:
        self._learn(distinct(records["row"]), records)

    def _learn(self, rows: Integers, records: Records) -> None:
        new = records[~among(records["row"], self._rows)]
        self._rows = distinct(self._rows, rows)
        if len(new):
            records = np.concatenate([self._records, new])
            keys = (records["row"],) if self._then is None else (records[self._then], records["row"])
            self._records = records[np.lexsort(keys)]


class ValueCache(Generic[T]):
    """One value of each row.

    Parameters
    ----------
    parts_of
        What reads the values of rows, all of which there are, and has them learnt.
    """

    def __init__(self, asking: QueryBatch, parts_of: Callable[[Integers], list[SubQuery]]) -> None:
        self._asking = asking
        self._parts_of = parts_of
        self._known: dict[int, T] = {}
        self._is_expected = False

    def expect(self, rows: Integers) -> None:
        """Read the values of rows, those that are not there, with what is read next."""
        for page in self._lacking(rows):
            self._asking.later(*self._parts_of(page))
            self._is_expected = True

    def of(self, rows: Integers) -> list[T]:
        if len(self._known) > MOST_VALUES:
            self._known.clear()
        if self._is_expected and self._lacking(rows):
            self._asking.read_waiting()
            self._is_expected = False
        for page in self._lacking(rows):
            self._asking.read(*self._parts_of(page))
        return [self._known[row] for row in rows.tolist()]

    def learn(self, values: Mapping[int, T]) -> None:
        self._known |= values

    def _lacking(self, rows: Integers) -> list[Integers]:
        """Those that are not there, as many at a time as are read in one statement."""
        lacking = np.array([row for row in dict.fromkeys(rows.tolist()) if row not in self._known], dtype=np.int64)
        return [lacking[start : start + _AT_ONCE] for start in range(0, len(lacking), _AT_ONCE)]
