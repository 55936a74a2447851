"""Asking the database for several things in one statement, which is one round trip to the server.

Records come as bytes, put together by the server, and are read as arrays: of thousands of rows that takes a fraction of
the time that it takes row by row. What holds texts comes as JSON.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.connection import Connection

FOUND = "<found>"
"""How a part's query names what the query that it stands on has found."""

Records = NDArray[np.void]


@dataclass(frozen=True, eq=False, slots=True)
class CommonTableExpression:
    """A query that is run once in a statement; several parts may stand on it.

    ``columns`` are their names, with commas between them.
    """

    columns: str
    sql: str
    parameters: Sequence[Any]


@dataclass(frozen=True, eq=False, slots=True)
class SubQuery:
    """A query for one value, and who takes that: records, one after the other as bytes, or JSON as text; None if none.

    ``ground`` is the query that it stands on, if it names FOUND.
    """

    sql: str
    parameters: Sequence[Any]
    take: Callable[[Any], None]
    ground: CommonTableExpression | None = None

    @property
    def asked(self) -> tuple[Any, ...]:
        """What tells parts apart: two that ask the same are the same."""
        return (self.sql, id(self.ground), *map(_hashable, self.parameters))


class QueryBatch:
    """Runs parts within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: list[SubQuery] = []

    def later(self, *parts: SubQuery | None) -> None:
        """Run these, those that are there, with the next that are read."""
        self._waiting += [part for part in parts if part is not None]

    def read(self, *parts: SubQuery | None) -> None:
        """Run these, those that are there, and all that waits; nothing is run where none is."""
        wanted = [part for part in parts if part is not None]
        if wanted:
            self.later(*wanted)
            self.read_waiting()

    def read_waiting(self) -> None:
        """Run what waits."""
        wanted, self._waiting = list({part.asked: part for part in self._waiting}.values()), []
        if wanted:
            self._run(wanted)

    def _run(self, wanted: Sequence[SubQuery]) -> None:
        grounds = {id(part.ground): part.ground for part in wanted if part.ground is not None}
        names = {key: f"found_{number}" for number, key in enumerate(grounds)}
        ground = ", ".join(
            f"{names[key]} ({query.columns}) AS MATERIALIZED ({query.sql})" for key, query in grounds.items()
        )
        asked = ", ".join(f"({part.sql.replace(FOUND, names.get(id(part.ground), FOUND))})" for part in wanted)
        sql = f"{f'WITH {ground} ' if ground else ''}SELECT {asked}"
        of_grounds = (one for query in grounds.values() for one in query.parameters)
        found = self._connection.execute(sql, [*of_grounds, *(one for part in wanted for one in part.parameters)])
        for part, value in zip(wanted, found.fetchone(), strict=True):
            part.take(value)


def _hashable(parameter: Any) -> Any:
    if isinstance(parameter, np.ndarray):
        return parameter.tobytes()
    return tuple(parameter) if isinstance(parameter, list) else parameter


def parsed(data: bytes | None, columns: np.dtype[np.void]) -> Records:
    """Records in the order of bytes of networks, as they are computed with.

    >>> parsed(bytes([0, 7]), np.dtype([("row", ">i2")]))["row"].tolist()
    [7]
    """
    return np.frombuffer(data or b"", dtype=columns).astype(columns.newbyteorder("="))


def listed(columns: str, query: str, order: str = "") -> str:
    """A query for one value: what ``query``, from FROM on, finds, as a JSON array of arrays.

    >>> listed("id, name", "FROM entity")
    'SELECT json_agg(json_build_array(id, name))::text FROM entity'
    """
    return f"SELECT json_agg(json_build_array({columns}){order and f' ORDER BY {order}'})::text {query}"


def told(value: str | None) -> list[list[Any]]:
    """What :func:`listed` has found. Texts may hold what JSON has escaped, as they may hold anything.

    >>> told('[[1, "a"]]'), told(None)
    ([[1, 'a']], [])
    """
    return json.loads(value, strict=False) if value else []
