"""Copy a store row by row, from any engine to any engine."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from polyadic.storage.reader import Reader

Row = Sequence[Any]


class CopySource(Protocol):
    """One committed state of a store, which does not change while it is copied."""

    @property
    def reader(self) -> Reader:
        """A reader of the same state."""

    @property
    def state(self) -> str:
        """The unique name of the state. Raises StoreError if the store is itself an unfinished copy."""

    def counts(self) -> Mapping[str, int]:
        """Return the number of rows of each table, in the order in which to copy them."""

    def following(self, table: str, row: Row | None) -> list[Row]:
        """Return the next rows of a table, by key, after this one (None: from the start); empty after the last."""


class CopyTarget(Protocol):
    """A store that receives the rows of another. It cannot be read or written until the copy is finished."""

    def begin(self, state: str) -> None:
        """Resume a copy of the same state; a partial copy of another state is dropped.

        Raises
        ------
        StoreError
            The store contains data that is not part of a copy.
        """

    def last(self, table: str) -> Row | None:
        """Return the last copied row of a table, by key; None if there is none."""

    def put(self, table: str, rows: Sequence[Row]) -> None:
        """Append rows to a table with the engine's index entries for them, and commit."""

    def settle(self) -> None:
        """Compute what depends on all rows; call it after the last row."""

    def drop(self) -> None:
        """Delete all copied rows; the next copy starts from the beginning."""

    def finish(self) -> None:
        """Open the store for reading and writing."""


def copy_rows(original: CopySource, duplicate: CopyTarget) -> Iterator[int]:
    """Copy the rows that the duplicate lacks, table by table; yields the number of rows of each batch."""
    for table in original.counts():
        last = duplicate.last(table)
        while rows := original.following(table, last):
            duplicate.put(table, rows)
            last = rows[-1]
            yield len(rows)
