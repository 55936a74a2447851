"""Run several queries in one statement, which is one round trip to the server.

The server concatenates numeric records to bytes, which are read as structured arrays: for thousands of rows this takes
a fraction of the time of fetching them row by row. Records with texts come as JSON.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.connection import Connection

FOUND = "<found>"
"""Placeholder in a subquery for the name of the common table expression that it reads."""

Records = NDArray[np.void]


@dataclass(frozen=True, eq=False, slots=True)
class CommonTableExpression:
    """A query that is run once in a statement and may be read by several subqueries.

    ``columns`` are its column names, separated by commas.
    """

    columns: str
    sql: str
    parameters: Sequence[Any]


@dataclass(frozen=True, eq=False, slots=True)
class SubQuery:
    """A query for one value, and the callback that takes it: concatenated records as bytes, JSON as text, or None.

    ``ground`` is the common table expression that it reads, if its SQL contains FOUND.
    """

    sql: str
    parameters: Sequence[Any]
    take: Callable[[Any], None]
    ground: CommonTableExpression | None = None

    @property
    def asked(self) -> tuple[Any, ...]:
        """Key by which identical subqueries are recognized."""
        return (self.sql, id(self.ground), *map(_hashable, self.parameters))


class QueryBatch:
    """Runs batches of subqueries within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pending: list[SubQuery] = []

    def later(self, *parts: SubQuery | None) -> None:
        """Queue subqueries for the next statement; None is skipped."""
        self._pending += [part for part in parts if part is not None]

    def read(self, *parts: SubQuery | None) -> None:
        """Run subqueries together with all queued ones; do nothing if all of them are None."""
        wanted = [part for part in parts if part is not None]
        if wanted:
            self.later(*wanted)
            self.read_waiting()

    def read_waiting(self) -> None:
        """Run the queued subqueries."""
        wanted, self._pending = list({part.asked: part for part in self._pending}.values()), []
        if wanted:
            self._run(wanted)

    def _run(self, wanted: Sequence[SubQuery]) -> None:
        grounds = {id(part.ground): part.ground for part in wanted if part.ground is not None}
        names = {key: f"found_{number}" for number, key in enumerate(grounds)}
        expressions = ", ".join(
            f"{names[key]} ({query.columns}) AS MATERIALIZED ({query.sql})" for key, query in grounds.items()
        )
        columns = ", ".join(f"({part.sql.replace(FOUND, names.get(id(part.ground), FOUND))})" for part in wanted)
        sql = f"{f'WITH {expressions} ' if expressions else ''}SELECT {columns}"
        of_grounds = (one for query in grounds.values() for one in query.parameters)
        cursor = self._connection.execute(sql, [*of_grounds, *(one for part in wanted for one in part.parameters)])
        for part, value in zip(wanted, cursor.fetchone(), strict=True):
            part.take(value)


def _hashable(parameter: Any) -> Any:
    if isinstance(parameter, np.ndarray):
        return parameter.tobytes()
    return tuple(parameter) if isinstance(parameter, list) else parameter


def parsed(data: bytes | None, columns: np.dtype[np.void]) -> Records:
    """Convert concatenated records from network byte order to an array in native byte order.

    >>> parsed(bytes([0, 7]), np.dtype([("row", ">i2")]))["row"].tolist()
    [7]
    """
    return np.frombuffer(data or b"", dtype=columns).astype(columns.newbyteorder("="))


def listed(columns: str, query: str, order: str = "") -> str:
    """Make a query for one value: the columns of ``query``, which begins with FROM, as a JSON array of arrays.

    >>> listed("id, name", "FROM entity")
    'SELECT json_agg(json_build_array(id, name))::text FROM entity'
    """
    return f"SELECT json_agg(json_build_array({columns}){order and f' ORDER BY {order}'})::text {query}"


def parse_rows(value: str | None) -> list[list[Any]]:
    """Parse the result of a :func:`listed` query; control characters in texts are allowed.

    >>> parse_rows('[[1, "a"]]'), parse_rows(None)
    ([[1, 'a']], [])
    """
    return json.loads(value, strict=False) if value else []
