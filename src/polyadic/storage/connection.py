"""What the statements of a store are run through, whichever engine keeps its tables.

Statements are those that SQLite and PostgreSQL understand alike, with ``?`` where a value stands. Where the two differ,
there is a method that each engine has in its own way (:class:`polyadic.storage.sql.writer.SqlWriter`), not a switch.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol


class Cursor(Protocol):
    """The rows that a statement found."""

    @property
    def rowcount(self) -> int:
        """How many rows a statement changed."""

    def fetchone(self) -> Any:
        """The next row; None where there is none."""

    def fetchmany(self, size: int, /) -> list[Any]: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection within its transaction."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor: ...
    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        """One statement for many rows of values; nothing is read."""

    def close(self) -> None: ...
