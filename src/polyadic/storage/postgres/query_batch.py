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
class _SubQuery:
    sql: str
    parameters: Sequence[Any]
    take: Callable[[Any], None]
    source: CommonTableExpression | None


class QueryBatch:
    """Runs batches of subqueries, each for one value, within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._queued: list[_SubQuery] = []

    def later(
        self,
        sql: str,
        parameters: Sequence[Any],
        take: Callable[[Any], None],
        source: CommonTableExpression | None = None,
    ) -> None:
        """Queue a subquery for the next statement.

        Parameters
        ----------
        take
            Callback that is given the value: concatenated records as bytes, JSON as text, or None.
        source
            The common table expression that the subquery reads, if its SQL contains FOUND.
        """
        self._queued.append(_SubQuery(sql, parameters, take, source))

    def read(self, sql: str, parameters: Sequence[Any] = (), source: CommonTableExpression | None = None) -> Any:
        """Run a subquery together with all queued ones, and return its value."""
        values: list[Any] = []
        self.later(sql, parameters, values.append, source)
        self.run()
        return values[0]

    def run(self) -> None:
        """Run the queued subqueries, if there are any."""
        queued, self._queued = self._queued, []
        if not queued:
            return
        sources = {id(one.source): one.source for one in queued if one.source is not None}
        names = {key: f"found_{number}" for number, key in enumerate(sources)}
        expressions = ", ".join(
            f"{names[key]} ({source.columns}) AS MATERIALIZED ({source.sql})" for key, source in sources.items()
        )
        columns = ", ".join(f"({one.sql.replace(FOUND, names.get(id(one.source), FOUND))})" for one in queued)
        sql = f"{f'WITH {expressions} ' if expressions else ''}SELECT {columns}"
        parameters = [one for source in sources.values() for one in source.parameters]
        parameters += [one for query in queued for one in query.parameters]
        row = self._connection.execute(sql, parameters).fetchone()
        for one, value in zip(queued, row, strict=True):
            one.take(value)


def parsed(data: bytes | None, columns: np.dtype[np.void]) -> Records:
    """Convert concatenated records from network byte order to an array in native byte order.

    >>> parsed(bytes([0, 7]), np.dtype([("row", ">i2")]))["row"].tolist()
    [7]
    """
    return np.frombuffer(data or b"", dtype=columns).astype(columns.newbyteorder("="))


def listed(columns: str, query: str, order: str = "") -> str:
    """Make a query for one value: the columns of ``query``, which begins with FROM, as a JSON array of arrays.

    >>> listed("id, name", "FROM entity")
    "SELECT coalesce(json_agg(json_build_array(id, name)), '[]')::text FROM entity"
    """
    return f"SELECT coalesce(json_agg(json_build_array({columns}){order and f' ORDER BY {order}'}), '[]')::text {query}"


def parse_rows(value: str) -> list[list[Any]]:
    """Parse the result of a :func:`listed` query; control characters in texts are allowed.

    >>> parse_rows('[[1, "a"]]')
    [[1, 'a']]
    """
    rows: list[list[Any]] = json.loads(value, strict=False)
    return rows
