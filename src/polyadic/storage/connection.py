"""Protocols for database connections and cursors, independent of the engine.

SQL statements are written in the subset that SQLite and PostgreSQL share, with ``?`` as the placeholder, and are run as
they stand. Where the two differ, a connection makes the statement itself (:mod:`polyadic.storage.row_changes`,
:func:`polyadic.storage.sql.lists.select_in`), or each engine overrides a method
(:class:`polyadic.storage.sql.writer.SqlWriter`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from polyadic.storage.row_changes import RowChange


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
