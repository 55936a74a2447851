"""Convert JSON objects to documents, or to the rows of a table."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import empty
from polyadic.loaders.skipped import SkippedInput
from polyadic.loaders.tables.record_rows import object_lines
from polyadic.loaders.tables.rows import TableRow, row_documents, sampled, table_document
from polyadic.loaders.tables.text_column import prose_column
from polyadic.model.types import Document


def object_documents(
    path: Path,
    rows: Iterator[TableRow | SkippedInput],
    settings: ReadingSettings,
    about: Mapping[str, object] | None = None,
) -> Iterator[Document | SkippedInput]:
    """Yield one document per object if a key holds prose; otherwise one document with one line per object.

    Parameters
    ----------
    path
        The file.
    rows
        Its objects.
    settings
        The size limit for a text.
    about
        Values that apply to all objects; they become the first lines of a table.

    Raises
    ------
    UnreadableDocument
        There are no objects.
    """
    values, rows = sampled(rows)
    if text_column := prose_column(values):
        yield from row_documents(path, text_column, rows)
        return
    first = next(rows, None)
    if first is None:
        raise empty()
    before = object_lines(about) if about else ()
    yield from table_document(path, chain([first], rows), lambda row: object_lines(row.values), settings, before)
