"""Queries for any of many values."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from polyadic.storage.connection import Connection


def select_in(
    connection: Connection, sql: str, values: Sequence[Any], before: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Run a query for any number of values of a column, in several statements if needed.

    Parameters
    ----------
    sql
        The query, with ``{any_of}`` after the name of the column: ``SELECT name FROM entity WHERE id {any_of}``.
    values
        The values.
    before
        Parameters that precede them.

    Returns
    -------
    Iterator of tuple
        The rows of all statements.
    """
    return chain.from_iterable(
        connection.execute(sql.format(any_of=condition), (*before, *parameters))
        for condition, parameters in connection.conditions(values)
    )
