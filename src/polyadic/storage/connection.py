"""Protocols for database connections and cursors, independent of the engine.

SQL statements are written in the subset that SQLite and PostgreSQL share, with ``?`` as the placeholder, and are run as
they stand. Where the two differ, a connection makes the statement itself (:data:`polyadic.storage.table.RowChange`,
:func:`select_in`), or each engine overrides a method (:class:`polyadic.storage.sql.writer.SqlWriter`).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

from polyadic.storage.table import RowChange, Table


class Cursor(Protocol):
    """The result rows of a statement."""

    @property
    def rowcount(self) -> int:
        """The number of rows that the statement changed."""

    def fetchone(self) -> Any:
        """Return the next row; None after the last."""

    def fetchmany(self, size: int, /) -> list[Any]: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A database connection inside a transaction."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor: ...
    def change(self, change: RowChange, rows: Iterable[Sequence[Any]], /) -> None:
        """Make a change for many rows of values, each in the order of its columns."""

    def conditions(self, values: Sequence[Any], /) -> Iterator[tuple[str, Sequence[Any]]]:
        """Yield conditions, each with its parameters, that together hold of a column with any of the values.

        A condition follows the name of the column: ``IN (?,?)``.
        """

    def close(self) -> None: ...


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


def keys_of(connection: Connection, table: Table, digests: Sequence[bytes]) -> dict[bytes, int]:
    """Return the keys of the rows of a table by digest; missing ones are absent."""
    return dict(select_in(connection, f"SELECT digest, id FROM {table.name} WHERE digest {{any_of}}", digests))


def next_page(
    connection: Connection,
    table: Table,
    columns: Sequence[str],
    last: Sequence[Any] | None,
    size: int = 1_000,
    where: str = "TRUE",
) -> list[Any]:
    """Return the next rows of a table in the order of its key (keyset pagination); empty after the last.

    Parameters
    ----------
    columns
        Columns to read, those of the key first.
    last
        The last row of the page before; None for the first page.
    size
        Number of rows of a page.
    where
        A condition on the rows.
    """
    key = ", ".join(table.key)
    after = f" AND ({key}) > ({', '.join('?' * len(table.key))})" if last else ""
    sql = f"SELECT {', '.join(columns)} FROM {table.name} WHERE {where}{after} ORDER BY {key} LIMIT ?"
    return connection.execute(sql, (*(last or ())[: len(table.key)], size)).fetchall()
