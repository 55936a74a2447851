"""Queries for a list of values, however long it is."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

_VARIABLES = 500


def select_in(
    connection: sqlite3.Connection, sql: str, values: Sequence[Any], before: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Rows of a query whose ``{}`` stands for a list of values, however many there are."""
    for start in range(0, len(values), _VARIABLES):
        part = values[start : start + _VARIABLES]
        yield from connection.execute(sql.format(",".join("?" * len(part))), (*before, *part))
