"""Read JSON Lines: one object per line, which is a document or a table row."""

import json
from collections.abc import Iterator
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.file_access import opened
from polyadic.loaders.line_reader import FileLine, lines_of
from polyadic.loaders.skipped import SkippedInput, skipped
from polyadic.loaders.tables.json_rows import object_documents
from polyadic.loaders.tables.rows import TableRow
from polyadic.model.types import Document


def read_json_lines(path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """Yield one document per line if a key holds prose; otherwise one document with one row per line.

    Blank lines are ignored.

    Raises
    ------
    UnreadableDocument
        The file is not readable, looks binary, is empty, contains no object, or changed while it was read (possibly
        after some documents were yielded).
    """
    with opened(path) as file:
        yield from object_documents(path, _rows(path, lines_of(file, settings)), settings)


def _rows(path: Path, lines: Iterator[FileLine]) -> Iterator[TableRow | SkippedInput]:
    for line in lines:
        if not (line.fault or line.text.strip()):
            continue
        try:
            yield TableRow(line.number, line.number, _object(line))
        except UnreadableDocument as problem:
            yield skipped(str(path), problem, line.number)


def _object(line: FileLine) -> dict[str, object]:
    if line.fault:
        raise line.fault
    try:
        value = json.loads(line.text)
    # RecursionError: nested too deeply. ValueError: also numbers of thousands of digits.
    except (ValueError, RecursionError) as error:
        reason = error.msg.lower() if isinstance(error, json.JSONDecodeError) else "it cannot be represented"
        raise UnreadableDocument(f"not JSON ({reason})", "write one JSON object per line") from error
    if not isinstance(value, dict):
        raise UnreadableDocument("not a JSON object", "write one JSON object per line")
    return value
