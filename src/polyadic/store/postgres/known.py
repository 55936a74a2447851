"""What a transaction has read of rows, and reading more of it: of several kinds in one statement.

Records come as bytes, put together by the server, and are read as arrays: of thousands of rows that takes a fraction of
the time that it takes row by row. Who asks for one thing of a row soon asks for another, and asks again, so what was
read is kept as long as the transaction, which sees one state.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers, stretches

MOST_KEPT = 2**24
"""Bytes of records of one kind that are kept, and those that were read last."""
ROWS = "?::bigint[]"
"""Where rows stand in a query for records."""

Records = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Part:
    """A query for one value, all records one after the other as bytes, and who takes these."""

    sql: str
    parameters: Sequence[Any]
    take: Callable[[bytes], None]


def read(connection: Connection, parts: Iterable[Part | None], ground: str = "", given: Sequence[Any] = ()) -> None:
    """Run the queries of all parts that are there, in one statement.

    ``ground`` may name queries on which several stand (WITH), of which ``given`` are the parameters.
    """
    wanted = [part for part in parts if part is not None]
    if wanted:
        sql = f"{ground} SELECT {', '.join(f'({part.sql})' for part in wanted)}"
        found = connection.execute(sql, [*given, *(one for part in wanted for one in part.parameters)]).fetchone()
        for part, records in zip(wanted, found, strict=True):
            part.take(records or b"")


def parsed(data: bytes, columns: np.dtype[np.void]) -> Records:
    """Records in the order of bytes of networks, as they are computed with.

    >>> parsed(bytes([0, 7]), np.dtype([("row", ">i2")]))["row"].tolist()
    [7]
    """
    return np.frombuffer(data, dtype=columns).astype(columns.newbyteorder("="))


class Known:
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

    def part(self, rows: Integers) -> Part | None:
        """What reads the records of rows; None where all are there.

        Where much has been read by now, as by who goes through all there is, it is forgotten first.
        """
        self._forget_much()
        lacking = _distinct(rows[~_among(rows, self._rows)])
        if not len(lacking):
            return None
        return Part(self._sql, (lacking,), lambda data: self._learn(lacking, parsed(data, self._sent)))

    def part_of(self, rows: str, *parameters: Any) -> Part:
        """What reads the records of the rows that a query finds, each of which has one at least."""
        sql = self._sql.replace(ROWS, f"ARRAY({rows})")
        return Part(sql, parameters, lambda data: self._learn_all(parsed(data, self._sent)))

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
        self._learn(_distinct(records["row"]), records)

    def _learn(self, rows: Integers, records: Records) -> None:
        new = records[~_among(records["row"], self._rows)]
        self._rows = _distinct(np.concatenate([self._rows, rows]))
        if len(new):
            records = np.concatenate([self._records, new])
            keys = (records["row"],) if self._then is None else (records[self._then], records["row"])
            self._records = records[np.lexsort(keys)]


def _distinct(rows: Integers) -> Integers:
    """Each once, in ascending order; of so few sooner than by np.unique."""
    ordered = np.sort(rows)
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return np.asarray(ordered[is_first])


def _among(rows: Integers, known: Integers) -> NDArray[np.bool_]:
    """Which rows are among others, which are sorted."""
    if not len(known):
        return np.zeros(len(rows), dtype=bool)
    return np.asarray(known[np.minimum(known.searchsorted(rows), len(known) - 1)] == rows)
