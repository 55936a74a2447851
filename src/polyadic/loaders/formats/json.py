"""Read JSON files: a list of objects is a table; any other value is rendered line by line."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.decoding import decode
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.formats.plain_text import plain_document
from polyadic.loaders.nested_data import nested_text
from polyadic.loaders.skipped import SkippedInput, printable
from polyadic.loaders.tables.json_rows import object_documents
from polyadic.loaders.tables.rows import TableRow
from polyadic.model.types import Document

MOST_VALUES = 5_000_000
"""Maximum number of values in one file; parsed values take much more memory than their text."""


def read_json(path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """Read a list of objects, or an object that contains one such list, as one document per row or one for the table.

    Any other JSON becomes one document with one line per value, each with its path. A file that is not valid JSON is
    read as plain text, with a note that says what is wrong with it.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    text = decode(read_whole(path, settings.max_megabytes), settings.encoding)
    if text.count(",") > MOST_VALUES or text.count("[") + text.count("{") > MOST_VALUES:
        raise UnreadableDocument(f"more than {MOST_VALUES:,} values", "split it, or save it as .jsonl")
    parsed, problem = _parsed(text)
    about, objects = _table(parsed)
    if objects:
        rows = (TableRow(0, number, values) for number, values in enumerate(objects, start=1))
        yield from object_documents(path, rows, settings, about)
    else:
        nested = nested_text(parsed) if isinstance(parsed, dict | list) else ""
        document = Document(str(path), "", nested) if nested else plain_document(path, text)
        note = printable(f"{path}: read as plain text, because it is not valid JSON ({problem})") if problem else ""
        yield replace(document, note=note)


def _parsed(text: str) -> tuple[object, str]:
    """Return the value, and what is wrong if the text is not valid JSON."""
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        return None, f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError):
        return None, "a number is too long, or it is nested too deeply"


def _table(value: object) -> tuple[Mapping[str, object], list[dict[str, object]]]:
    """Return the values that apply to the whole table, and its objects; empty if the value is not a table."""
    if isinstance(value, list):
        return {}, _objects(value)
    if not isinstance(value, dict):
        return {}, []
    lists = [key for key, item in value.items() if _objects(item)]
    others = {key: item for key, item in value.items() if key not in lists and not isinstance(item, dict)}
    if len(lists) != 1 or len(others) < len(value) - 1:
        return {}, []
    return others, _objects(value[lists[0]])


def _objects(value: object) -> list[dict[str, object]]:
    """Return the list if it consists of at least two objects and nothing else; otherwise an empty list."""
    is_table = isinstance(value, list) and len(value) > 1 and all(isinstance(item, dict) for item in value)
    return value if is_table and isinstance(value, list) else []
