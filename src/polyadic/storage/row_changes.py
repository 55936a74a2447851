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
