"""Description of a table, from which each engine makes its own statements."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class ColumnType(Enum):
    """Type of the values of a column."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BYTES = "bytes"
    BOOLEAN = "boolean"
    VECTOR = "vector"
    """Half-precision vector (half_precision.py)."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``default`` is a literal that all engines read, empty for none."""

    name: str
    type: ColumnType
    optional: bool = False
    default: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """An index; ``where`` restricts it to some rows."""

    name: str
    columns: tuple[str, ...]
    where: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A table; two are equal only if they are the same object.

    Attributes
    ----------
    key
        Columns of the primary key, the first ones of the table.
    is_numbered
        Whether the engine numbers the rows; the key is then ``id``.
    unique
        Further columns that identify a row.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ("id",)
    is_numbered: bool = False
    unique: tuple[str, ...] = ()
    indexes: tuple[Index, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def types(self) -> Mapping[str, ColumnType]:
        """Types by name of column."""
        return {column.name: column.type for column in self.columns}

    def place(self, column: str) -> int:
        """Return the position of a column in a row."""
        return self.names.index(column)


def column_definitions(table: Table, types: Mapping[ColumnType, str], numbering: str = "") -> list[str]:
    """Return the definitions of a table's columns.

    Parameters
    ----------
    types
        The engine's names of types.
    numbering
        The engine's clause for a column that numbers the rows.

    Examples
    --------
    >>> column_definitions(Table("t", (text("a", default="''"),)), {ColumnType.TEXT: "TEXT"})
    ["a TEXT NOT NULL DEFAULT ''"]
    """
    return [
        f"{column.name} {types[column.type]}"
        f"{f' {numbering}' if numbering and table.is_numbered and column.name == 'id' else ''}"
        f"{'' if column.optional else ' NOT NULL'}{column.default and f' DEFAULT {column.default}'}"
        for column in table.columns
    ]


def integer(name: str, optional: bool = False, default: str = "") -> Column:
    return Column(name, ColumnType.INTEGER, optional, default)


def real(name: str, default: str = "") -> Column:
    return Column(name, ColumnType.REAL, default=default)


def text(name: str, optional: bool = False, default: str = "") -> Column:
    return Column(name, ColumnType.TEXT, optional, default)


def data(name: str, optional: bool = False) -> Column:
    """Return a column of bytes."""
    return Column(name, ColumnType.BYTES, optional)


def boolean(name: str) -> Column:
    return Column(name, ColumnType.BOOLEAN)


def vector(name: str) -> Column:
    return Column(name, ColumnType.VECTOR)
