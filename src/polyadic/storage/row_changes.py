"""Insert, update or delete many rows by values of columns, as each engine does it fastest."""

from dataclasses import dataclass

from polyadic.storage.table import Table


@dataclass(frozen=True, slots=True)
class Insert:
    """Insert rows with these columns.

    Where a row with the same primary key exists, ``replace`` are the columns that take the new value, and ``add`` those
    to which it is added. With ``ignore``, existing rows stay as they are.
    """

    table: Table
    columns: tuple[str, ...]
    replace: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    ignore: bool = False

    def on_conflict(self, *workspace: str) -> str:
        """Return the clause for existing rows; ``workspace`` precedes the key where an engine has such a column."""
        if self.ignore:
            return " ON CONFLICT DO NOTHING"
        values = [
            *(f"{one} = excluded.{one}" for one in self.replace),
            *(f"{one} = {self.table.name}.{one} + excluded.{one}" for one in self.add),
        ]
        key = ", ".join((*workspace, *self.table.key))
        return f" ON CONFLICT ({key}) DO UPDATE SET {', '.join(values)}" if values else ""


@dataclass(frozen=True, slots=True)
class Update:
    """Update the rows that have given values in ``where``.

    The values of a row of parameters are those of ``set``, then those to ``add``, then those of ``where``.
    """

    table: Table
    where: tuple[str, ...]
    set: tuple[str, ...] = ()
    add: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.set + self.add + self.where


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the rows that have given values in ``where``."""

    table: Table
    where: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.where


RowChange = Insert | Update | Delete
