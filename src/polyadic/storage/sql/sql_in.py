"""Queries with ``IN`` lists of any length."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from polyadic.storage.connection import Connection

_MAX_VALUES = 512


def select_in(
    connection: Connection, sql: str, values: Sequence[Any], before: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Run a query that contains ``IN ({})`` for any number of values, in several statements if needed.

    Parameters
    ----------
    sql
        The query, with ``{}`` in place of the list.
    values
        The values of the list.
    before
        Parameters that precede the list.

    Returns
    -------
    Iterator of tuple
        The rows of all statements.
    """
    parts = (_padded(values[start : start + _MAX_VALUES]) for start in range(0, len(values), _MAX_VALUES))
    return chain.from_iterable(
        connection.execute(sql.format(",".join("?" * len(part))), (*before, *part)) for part in parts
    )


def _padded(values: Sequence[Any]) -> Sequence[Any]:
    """Pad values to a power of two by repeating the last, so that few distinct statements are compiled.

    >>> _padded([1, 2, 3]), _padded([1])
    ([1, 2, 3, 3], [1])
    """
    padding = (1 << (len(values) - 1).bit_length()) - len(values)
    return [*values, *[values[-1]] * padding]
