"""Objects of JSON as documents, or as the rows of a table."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path

from polyadic.construction.reading.grid import column_names, named_lines
from polyadic.construction.reading.prose_column import prose_column
from polyadic.construction.reading.rows import Row, row_documents, sampled, table_document
from polyadic.construction.reading.skipped import Skipped
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings

_DEEPEST = 4
_MOST_CELLS = 5_000
_MOST_OBJECTS = 50


def object_documents(
    path: Path, rows: Iterator[Row | Skipped], settings: ReadingSettings, about: Mapping[str, object] | None = None
) -> Iterator[Document | Skipped]:
    """A document for each object, if a key holds prose; else one document in which each is a line.

    Parameters
    ----------
    path
        The file.
    rows
        Its objects.
    settings
        How large a text may be.
    about
        What the file says of all its objects: the first lines of a table.

    Raises
    ------
    UnreadableDocument
        There is no object.
    """
    values, rows = sampled(rows)
    if text_column := prose_column(values):
        yield from row_documents(path, text_column, rows)
        return
    first = next(rows, None)
    if first is None:
        raise UnreadableDocument("empty", "")
    before = _object_lines(about) if about else ()
    yield from table_document(path, chain([first], rows), lambda row: _object_lines(row.values), settings, before)


def _object_lines(values: Mapping[str, object]) -> Iterator[str]:
    cells: list[tuple[str, str]] = []
    _add_cells(values, "", 0, cells)
    names = _names(tuple(name for name, _ in cells))
    return named_lines([*zip(names, (text for _, text in cells), strict=True)])


@lru_cache(maxsize=256)
def _names(keys: tuple[str, ...]) -> list[str]:
    """Names of columns for keys, of which many rows have the same."""
    return column_names(keys)


def _add_cells(value: object, name: str, depth: int, cells: list[tuple[str, str]]) -> None:
    """Add the scalars in a value with the keys that lead to them; what is nested too deeply is left out."""
    if len(cells) >= _MOST_CELLS or depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, one in value.items():
            _add_cells(one, f"{name} {key}".strip(), depth + 1, cells)
    elif not isinstance(value, list):
        cells.append((name, _scalar(value)))
    elif any(isinstance(one, list | dict) for one in value):
        for number, one in enumerate(value[:_MOST_OBJECTS], start=1):
            _add_cells(one, f"{name} {number}".strip(), depth + 1, cells)
    else:
        cells.append((name, ", ".join(filter(None, map(_scalar, value)))))


def _scalar(value: object) -> str:
    """A scalar as people write it; nothing for null.

    >>> _scalar(True), _scalar(6.1), _scalar(None), _scalar("Ada")
    ('true', '6.1', '', 'Ada')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
