"""JSON lines: an object a line, a document an object."""

import json
from collections.abc import Iterator
from pathlib import Path

from polyadic.construction.reading.files import opened
from polyadic.construction.reading.lines import Line, lines_of
from polyadic.construction.reading.rows import NoDocuments, Rows
from polyadic.construction.reading.skipped import Skipped, skipped
from polyadic.errors import UnreadableDocument
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings


def read_json_lines(path: Path, settings: ReadingSettings) -> Iterator[Document | Skipped]:
    """A document for each line that is an object with text; blank lines are passed over.

    Raises
    ------
    UnreadableDocument
        The file is not readable, looks binary, is empty, has a first row without text, or was written to meanwhile
        (documents may have come before).
    """
    rows = Rows(path)
    empty = True
    with opened(path) as file:
        for line in lines_of(file, settings):
            if not (line.fault or line.text.strip()):
                continue
            empty = False
            try:
                yield rows.document(line.number, _object(line))
            except NoDocuments:
                raise
            except UnreadableDocument as problem:
                yield skipped(str(path), problem, line.number)
        if empty:
            raise UnreadableDocument("empty", "")


def _object(line: Line) -> dict[str, object]:
    if line.fault:
        raise line.fault
    try:
        value = json.loads(line.text)
    # RecursionError: nested too deeply. ValueError: also numbers of thousands of digits.
    except (ValueError, RecursionError) as error:
        reason = error.msg.lower() if isinstance(error, json.JSONDecodeError) else "it cannot be represented"
        raise UnreadableDocument(f"not JSON ({reason})", "write one JSON object a line") from error
    if not isinstance(value, dict):
        raise UnreadableDocument("not a JSON object", "write one JSON object a line")
    return value
