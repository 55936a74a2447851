"""Tables, described once: each engine makes its definitions and statements from the description.

A change of rows (:class:`Insert`, :class:`Update`, :class:`Delete`) names columns; each engine turns it into the
statement that it runs fastest.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any


class ColumnType(Enum):
    """Type of the values of a column; a VECTOR has half precision (half_precision.py)."""

    INTEGER = auto()
    REAL = auto()
    TEXT = auto()
    BYTES = auto()
    BOOLEAN = auto()
    VECTOR = auto()


@dataclass(frozen=True, slots=True)
class Codec:
    """How structured values are stored in a column: a function and its inverse."""

    dump: Callable[[Any], Any]
    load: Callable[[Any], Any]


PLAIN = Codec(lambda value: value, lambda value: value)
"""The codec of values that are stored as they are."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes
    ----------
    default
        A literal that all engines read, empty for none.
    codec
        How values are stored, other than None.
    is_numbered
        Whether the engine numbers the rows in this column.
    unique, indexed
        Whether a value identifies a row, and whether there is an index of the column.
    references
        The table whose keys are the values; empty for none.
    """

    name: str
    type: ColumnType
    optional: bool = False
    default: str = ""
    codec: Codec = PLAIN
    is_numbered: bool = False
    unique: bool = False
    indexed: bool = False
    references: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """An index of several columns, or of some rows only (``where``)."""

    name: str
    columns: tuple[str, ...]
    where: str = ""


class Table:
    """A table; two are equal only if they are the same object.

    Parameters
    ----------
    name
        Its name.
    columns
        Its columns, those of the primary key first.
    key
        Columns of the primary key.
    indexes
        Indexes other than those of single columns.
    is_copied
        Whether a copy of the store has its rows.

    Examples
    --------
    >>> Table("t", serial("id"), text("a")).names
    ('id', 'a')
    """

    def __init__(
        self,
        name: str,
        *columns: Column,
        key: tuple[str, ...] = ("id",),
        indexes: tuple[Index, ...] = (),
        is_copied: bool = True,
    ) -> None:
        self.name = name
        self.columns = columns
        self.key = key
        self.is_copied = is_copied
        self.names = tuple(column.name for column in columns)
        self.types = {column.name: column.type for column in columns}
        self.is_numbered = any(column.is_numbered for column in columns)
        self.unique = tuple(column.name for column in columns if column.unique)
        single = (Index(column.name, (column.name,)) for column in columns if column.indexed)
        self.indexes = (*single, *indexes)

    def place(self, column: str) -> int:
        """Return the position of a column in a row."""
        return self.names.index(column)

    def definitions(self, types: Mapping[ColumnType, str], numbering: str = "") -> list[str]:
        """Return the definitions of the columns.

        Parameters
        ----------
        types
            The engine's names of types.
        numbering
            The engine's clause for a column that numbers the rows.

        Examples
        --------
        >>> Table("t", text("a", default="''")).definitions({ColumnType.TEXT: "TEXT"})
        ["a TEXT NOT NULL DEFAULT ''"]
        """
        return [
            f"{column.name} {types[column.type]}"
            f"{f' {numbering}' if numbering and column.is_numbered else ''}"
            f"{'' if column.optional else ' NOT NULL'}{column.default and f' DEFAULT {column.default}'}"
            for column in self.columns
        ]


class Selection:
    """Columns of a table that store attributes of the same names.

    >>> selection = Selection(Table("t", serial("id"), text("word", codec=Codec(str.upper, str.lower))), "word")
    >>> selection.of("t"), selection.load(["ADA"])
    ('t.word', {'word': 'ada'})
    """

    def __init__(self, table: Table, *names: str) -> None:
        self._columns = [table.columns[table.place(name)] for name in names]

    def of(self, alias: str) -> str:
        """Return the names of the columns as SQL; ``alias`` is that of the table."""
        return ", ".join(f"{alias}.{column.name}" for column in self._columns)

    def dump(self, record: object) -> dict[str, Any]:
        """Return the stored values of an object's attributes."""
        values = ((column, getattr(record, column.name)) for column in self._columns)
        return {column.name: None if value is None else column.codec.dump(value) for column, value in values}

    def load(self, stored: Sequence[Any]) -> dict[str, Any]:
        """Return the attributes by name, given the stored values in the order of the columns."""
        return {
            column.name: None if value is None else column.codec.load(value)
            for column, value in zip(self._columns, stored, strict=True)
        }


@dataclass(frozen=True, slots=True)
class Insert:
    """Insert rows with these columns, or all that the engine does not number.

    Where a row with the same primary key exists, ``replace`` are the columns that take the new value, and ``add`` those
    to which it is added. With ``ignore``, existing rows stay as they are.
    """

    table: Table
    only: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    ignore: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self.only or tuple(column.name for column in self.table.columns if not column.is_numbered)

    def row(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the values of a row, given by column, in the order of the columns."""
        return [values[column] for column in self.columns]

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


integer = partial(Column, type=ColumnType.INTEGER)
serial = partial(Column, type=ColumnType.INTEGER, is_numbered=True)
real = partial(Column, type=ColumnType.REAL)
text = partial(Column, type=ColumnType.TEXT)
data = partial(Column, type=ColumnType.BYTES)
boolean = partial(Column, type=ColumnType.BOOLEAN)
vector = partial(Column, type=ColumnType.VECTOR)
