"""Reading the files of question sets, whatever is wrong with them said in one line."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from polyadic.errors import UnreadableDataset


def json_rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number of its line; empty lines are passed over.

    Raises
    ------
    UnreadableDataset
        A line is no JSON object.
    """
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UnreadableDataset(f"{file}, line {number} is no JSON ({error})", "mend it") from error
            if not isinstance(row, dict):
                raise UnreadableDataset(f"{file}, line {number} is no JSON object", "write one object a line")
            yield number, row


def json_list(file: Path) -> list[Any]:
    """What a file holds as one JSON list.

    Raises
    ------
    UnreadableDataset
        It holds something else.
    """
    try:
        held = json.loads(file.read_text(encoding="utf-8-sig", errors="replace"))
    except ValueError as error:
        raise UnreadableDataset(f"{file} is no JSON ({error})", "mend it") from error
    if not isinstance(held, list):
        raise UnreadableDataset(f"{file} is no JSON list", "write one list of all there is")
    return held


def text_of(row: Mapping[str, Any], *names: str) -> str:
    """The first of these columns that holds a text (or a number, as text); empty where none does.

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
    """The texts in the first of these columns that holds any, alone or as a list.

    >>> texts_of({"answers": ["Ada", "", None]}, "answers"), texts_of({"answer": "Ada"}, "answers", "answer")
    (('Ada',), ('Ada',))
    """
    for name in names:
        value = row.get(name)
        several = value if isinstance(value, list) else [value]
        if found := tuple(text for one in several if (text := text_of({"": one}, ""))):
            return found
    return ()


def whole_number(row: Mapping[str, Any], name: str) -> int:
    """A number from 1 in a column; 0 where there is none.

    >>> whole_number({"nary": 3}, "nary"), whole_number({"nary": "4"}, "nary"), whole_number({"nary": "many"}, "nary")
    (3, 4, 0)
    """
    text = text_of(row, name)
    return int(text) if text.isdecimal() and len(text) < 6 else 0
