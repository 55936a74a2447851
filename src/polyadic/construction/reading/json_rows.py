"""Objects of JSON as documents, or as the rows of a table."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from polyadic.construction.reading.prose_column import prose_column
from polyadic.construction.reading.records import object_lines
from polyadic.construction.reading.rows import Row, row_documents, sampled, table_document
from polyadic.construction.reading.skipped import Skipped
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings


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
    before = object_lines(about) if about else ()
    yield from table_document(path, chain([first], rows), lambda row: object_lines(row.values), settings, before)
