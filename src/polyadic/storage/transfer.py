"""What a store gives and takes where it is copied row by row, whichever engines keep the two."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from polyadic.storage.reader import Reader

Row = Sequence[Any]


class CopySource(Protocol):
    """One committed state of a store, unchanging as long as it is copied."""

    @property
    def reader(self) -> Reader:
        """What the same state says."""

    @property
    def state(self) -> str:
        """A name that no other state has. Raises StoreError where the store is itself a part of a copy."""

    def counts(self) -> Mapping[str, int]:
        """How many rows each table has, in the order in which they are to be copied."""

    def following(self, table: str, row: Row | None) -> list[Row]:
        """Some rows of a table, those after this one (None: the first) by its key; none after the last."""


class CopyTarget(Protocol):
    """A store that takes the rows of another. Nobody reads it or writes to it until it is finished."""

    def begin(self, state: str) -> None:
        """Go on from where a copy of the same state stopped; what is there of another state is dropped.

        Raises
        ------
        StoreError
            The store holds something that is not part of a copy.
        """

    def last(self, table: str) -> Row | None:
        """The last row of a table, by its key, that has been taken; None where there is none."""

    def put(self, table: str, rows: Sequence[Row]) -> None:
        """Commit rows that follow those which are there, and what the engine needs to find them."""

    def settle(self) -> None:
        """To be called when all rows are there: what rests on all of them is worked out."""

    def drop(self) -> None:
        """Let go of all that was taken: the next copy begins anew."""

    def finish(self) -> None:
        """Let it be read and written to."""
