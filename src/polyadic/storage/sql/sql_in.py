"""Queries for a list of values, however long it is."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from polyadic.storage.connection import Connection

_VARIABLES = 512


def select_in(
    connection: Connection, sql: str, values: Sequence[Any], before: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Rows of a query that asks for what is ``IN ({})``, a list of values, however many there are."""
    parts = (_rounded(values[start : start + _VARIABLES]) for start in range(0, len(values), _VARIABLES))
    return chain.from_iterable(
        connection.execute(sql.format(",".join("?" * len(part))), (*before, *part)) for part in parts
    )


def _rounded(values: Sequence[Any]) -> Sequence[Any]:
    """The values, the last one repeated until they are a power of two: so few statements have to be compiled.

    >>> _rounded([1, 2, 3]), _rounded([1])
    ([1, 2, 3, 3], [1])
    """
    lacking = (1 << (len(values) - 1).bit_length()) - len(values)
    return [*values, *[values[-1]] * lacking]
