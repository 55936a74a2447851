"""Long values of revisions, stored in segments of one size, so that a part of a value is read by primary key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polyadic.storage.connection import Connection
from polyadic.storage.row_changes import Insert
from polyadic.storage.table import Table

MOST_SEGMENTS = 1 << 20
"""Upper bound of segments per value."""


@dataclass(frozen=True, slots=True)
class Segments:
    """One text or byte string per revision, in a table with the columns ``id`` and the segment.

    The id of a segment is computed from its revision and its number in the value. ``size`` is the length of a segment.
    """

    table: Table
    size: int

    def key(self, revision: int, place: int = 0) -> int:
        """Return the id of the segment that contains a place of the value."""
        return revision * MOST_SEGMENTS + place // self.size

    def put(self, connection: Connection, values: Sequence[tuple[int, str | bytes]]) -> None:
        """Store the values of revisions that have none."""
        connection.change(
            Insert(self.table, self.table.names),
            [
                (self.key(revision, start), value[start : start + self.size])
                for revision, value in values
                for start in range(0, len(value), self.size)
            ],
        )

    def read(self, connection: Connection, revision: int) -> list[Any]:
        """Return the segments of a revision, in order."""
        sql = f"SELECT {self.table.names[1]} FROM {self.table.name} WHERE id >= ? AND id < ? ORDER BY id"
        return [segment for (segment,) in connection.execute(sql, (self.key(revision), self.key(revision + 1)))]

    def copy(self, connection: Connection, old: int, new: int) -> None:
        """Give a revision the value of another."""
        names = ", ".join(self.table.names)
        connection.execute(
            f"INSERT INTO {self.table.name} ({names}) SELECT id + ?, {self.table.names[1]} FROM {self.table.name}"
            " WHERE id >= ? AND id < ?",
            (self.key(new) - self.key(old), self.key(old), self.key(old + 1)),
        )

    def drop(self, connection: Connection, revision: int) -> None:
        """Delete the value of a revision."""
        sql = f"DELETE FROM {self.table.name} WHERE id >= ? AND id < ?"
        connection.execute(sql, (self.key(revision), self.key(revision + 1)))

    def count_strays(self, connection: Connection) -> int:
        """Count deleted revisions whose value is still stored."""
        ((count,),) = connection.execute(
            f"SELECT count(DISTINCT id / {MOST_SEGMENTS}) FROM {self.table.name} s"
            f" WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = s.id / {MOST_SEGMENTS})"
        ).fetchall()
        return int(count)
