"""Read the files of question sets, with one-line error messages."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from polyadic.errors import UnreadableDataset


def json_rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Iterate over the objects of a JSON lines file, with their line numbers; empty lines are skipped.

    Raises
    ------
    UnreadableDataset
        A line is not a JSON object.
    """
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UnreadableDataset(f"{file}, line {number} is not valid JSON ({error})", "fix the file") from error
            if not isinstance(row, dict):
                raise UnreadableDataset(f"{file}, line {number} is not a JSON object", "write one object per line")
            yield number, row


def json_list(file: Path) -> list[Any]:
    """Read a file that contains one JSON list.

    Raises
    ------
    UnreadableDataset
        The file contains something else.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig", errors="replace"))
    except ValueError as error:
        raise UnreadableDataset(f"{file} is not valid JSON ({error})", "fix the file") from error
    if not isinstance(content, list):
        raise UnreadableDataset(f"{file} is not a JSON list", "write one list of all entries")
    return content


def text_of(row: Mapping[str, Any], *names: str) -> str:
    """Return the first of these columns that holds a text or number, as text; empty if none does.

    >>> text_of({"_id": 7, "query": "Who?"}, "input", "query"), text_of({"_id": 7}, "_id"), text_of({}, "_id")
    ('Who?', '7', '')
    """
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return ""


def texts_of(row: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Return the texts of the first of these columns that holds one text or a list of texts.

    >>> texts_of({"answers": ["Ada", "", None]}, "answers"), texts_of({"answer": "Ada"}, "answers", "answer")
    (('Ada',), ('Ada',))
    """
    for name in names:
        value = row.get(name)
        entries = value if isinstance(value, list) else [value]
        if texts := tuple(text for entry in entries if (text := text_of({"": entry}, ""))):
            return texts
    return ()


def whole_number(row: Mapping[str, Any], name: str) -> int:
    """Return the positive whole number in a column, or 0.

    >>> whole_number({"nary": 3}, "nary"), whole_number({"nary": "4"}, "nary"), whole_number({"nary": "many"}, "nary")
    (3, 4, 0)
    """
    text = text_of(row, name)
    return int(text) if text.isdecimal() and len(text) < 6 else 0
