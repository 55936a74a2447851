"""Protocols for database connections and cursors, independent of the engine.

SQL statements are written in the subset that SQLite and PostgreSQL share, with ``?`` as the placeholder. Where the two
differ, each engine overrides a method (:class:`polyadic.storage.sql.writer.SqlWriter`) instead of branching.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol


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
    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        """Run one statement for many parameter rows, without reading results."""

    def close(self) -> None: ...
