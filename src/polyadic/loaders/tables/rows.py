"""Rows of tables and of JSON as documents, or as the lines of one document."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.decoding import without_surrogates
from polyadic.loaders.extracted_text import ExtractedText
from polyadic.loaders.metadata import metadata_of, title_of
from polyadic.loaders.skipped import SkippedInput, printable, skipped
from polyadic.loaders.tables.text_column import (
    ID_COLUMNS,
    SAMPLE_CHARACTERS,
    SAMPLE_ROWS,
    TEXT_COLUMNS,
    TITLE_COLUMNS,
    column_named,
)
from polyadic.model.types import Document

_LONGEST_ID = 500
_MOST_NAMES_SHOWN = 12
_NAME_IT = 'name the column with the text "text"'
_NOT_IN_AN_ID = re.compile("[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a file: the line at which it begins, its number, both from 1, and its values by column."""

    line: int
    number: int
    values: Mapping[str, object]


def sampled(
    rows: Iterator[TableRow | SkippedInput],
) -> tuple[list[Mapping[str, object]], Iterator[TableRow | SkippedInput]]:
    """The values of the first rows, by which a table is judged, and all rows."""
    ahead: list[TableRow | SkippedInput] = []
    values: list[Mapping[str, object]] = []
    size = 0
    for row in rows:
        ahead.append(row)
        if isinstance(row, TableRow):
            values.append(row.values)
            size += sum(len(value) if isinstance(value, str) else 1 for value in row.values.values())
        if len(ahead) >= SAMPLE_ROWS or size > SAMPLE_CHARACTERS:
            break
    return values, chain(ahead, rows)


def row_documents(
    path: Path, text_column: str, rows: Iterable[TableRow | SkippedInput]
) -> Iterator[Document | SkippedInput]:
    """A document for each row that has text; the first says from which column that is."""
    made = _RowDocuments(path, text_column)
    note = printable(f"{path}: text from column {text_column!r}")
    for row in rows:
        if isinstance(row, SkippedInput):
            yield row
            continue
        try:
            yield replace(made.document(row.number, row.values), note=note)
            note = ""
        except UnreadableDocument as problem:
            yield skipped(str(path), problem, row.line)


def table_document(
    path: Path,
    rows: Iterable[TableRow | SkippedInput],
    lines: Callable[[TableRow], Iterator[str]],
    settings: ReadingSettings,
    before: Iterable[str] = (),
    title: str = "",
) -> Iterator[Document | SkippedInput]:
    """The one document of a table whose rows are facts, after what could not be read.

    Parameters
    ----------
    path
        The file; its name is the title where there is no ``title``.
    rows
        The rows in their order.
    lines
        The lines of a row, as :func:`~polyadic.loaders.tables.table_text.named_lines` makes them.
    settings
        How large the text may be.
    before
        Lines that come first.

    Raises
    ------
    UnreadableDocument
        No row has any value, or the text is too large.
    """
    problems: list[SkippedInput] = []

    def written() -> Iterator[str]:
        yield from before
        for row in rows:
            if isinstance(row, SkippedInput):
                problems.append(row)
            else:
                yield from lines(row)

    extracted = ExtractedText(settings.max_megabytes)
    name = title_of(title or path.stem.replace("_", " ")) or "table"
    try:
        extracted.add_table(name, written())
    finally:
        yield from problems
    if extracted.last or not problems:
        yield extracted.document(path, name, {}, paged=False)


class _RowDocuments:
    """Makes documents of the rows of one file; remembers what must be the same or differ among them."""

    def __init__(self, path: Path, text_column: str) -> None:
        self._path = path
        self._text_column = text_column
        self._ids: set[str] = set()

    def document(self, number: int, row: Mapping[str, object]) -> Document:
        """The document of a row.

        Parameters
        ----------
        number
            Which row it is, from 1: its identity where it has no id.
        row
            Values by column. What is neither text, title nor id becomes metadata.

        Raises
        ------
        UnreadableDocument
            The row lacks the column with the text; the text is empty or no string; or the id was there before.
        """
        title_column = column_named(row, TITLE_COLUMNS)
        id_column = column_named(row, ID_COLUMNS)
        text_column = self._text_column if self._text_column in row else column_named(row, TEXT_COLUMNS)
        if not text_column:
            raise UnreadableDocument(_columns_seen(tuple(row)), _NAME_IT)
        text = _text(row, text_column)
        name = self._new_id(row.get(id_column), number)
        title = row.get(title_column) or ""
        used = {text_column, title_column, id_column}
        metadata = metadata_of({key: value for key, value in row.items() if key not in used})
        return Document(f"{self._path}#{name}", title_of(str(title)), text, metadata)

    def _new_id(self, value: object, number: int) -> str:
        """The row's own id, else its number; each only once in a file."""
        is_id = isinstance(value, str | int | float) and not isinstance(value, bool)
        name: str = without_surrogates(" ".join(str(value).split())) if is_id else ""
        if len(name) > _LONGEST_ID or _NOT_IN_AN_ID.search(name):
            raise UnreadableDocument("its id is too long or holds control characters", "give it a short one")
        name = name or str(number)
        if name in self._ids:
            raise UnreadableDocument(f"the id {name!r} was there before", "give each row an id of its own")
        self._ids.add(name)
        return name


def _text(row: Mapping[str, object], column: str) -> str:
    text = row[column]
    if text is None or (isinstance(text, str) and not text.strip()):
        raise UnreadableDocument("empty", "")
    if not isinstance(text, str):
        raise UnreadableDocument(f"column {column!r} is not a string", "write the text as one string")
    if "\0" in text:
        raise UnreadableDocument("the text holds a NUL character", "remove it")
    return without_surrogates(text.replace("\r\n", "\n").replace("\r", "\n"))


def _columns_seen(names: Sequence[str]) -> str:
    seen = ", ".join(without_surrogates(name[:40]) for name in names[:_MOST_NAMES_SHOWN]) or "none"
    more = f" and {len(names) - _MOST_NAMES_SHOWN} more" if len(names) > _MOST_NAMES_SHOWN else ""
    return f"no column holds the text (columns: {seen}{more})"
