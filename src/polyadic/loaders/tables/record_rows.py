"""Find records in nested data: lists of objects, objects under keys, and rows with separate column names."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from polyadic.loaders.tables.table_text import column_names, named_lines

_MAX_DEPTH = 4
_MAX_CELLS = 5_000
_MAX_OBJECTS = 50
# A list is kept in one cell if it has at least this many values, each of at most this many words.
_MIN_LIST_VALUES, _MAX_LIST_VALUE_WORDS = 3, 4  # values, words
_MIN_FIELDS, _MAX_VALUE_CHARACTERS = 2, 500


def object_lines(values: Mapping[str, object], key: str = "") -> Iterator[str]:
    """Format an object as a row line; as several lines if one would be too long.

    Parameters
    ----------
    values
        The values of the object; the field names of nested objects are joined.
    key
        The key of the object in its parent, if any.

    >>> list(object_lines({"price": 24.9, "made": {"in": "Ulm"}, "sizes": [1, 2, 3], "new": None}, key="hose"))
    ['- hose; price: 24.9; made in: Ulm; sizes: 1, 2, 3.']
    """
    cells: list[tuple[str, str]] = []
    _add_cells(values, "", 0, cells)
    names = _names(tuple(name for name, _ in cells))
    keyed = [("", key)] if key else []
    return named_lines([*keyed, *zip(names, (text for _, text in cells), strict=True)])


def record_rows(value: object) -> list[list[str]]:
    """Format the lines of each record if a value consists only of records; otherwise return an empty list.

    >>> record_rows([{"name": "Ada", "role": "boss"}])
    [['- name: Ada; role: boss.']]
    >>> record_rows({"hose": {"price": 24.9}, "rake": {"price": 14}})
    [['- hose; price: 24.9.'], ['- rake; price: 14.']]
    >>> record_rows({"columns": ["Item", "Price"], "data": [["hose", 24.9]]})
    [['- Item: hose; Price: 24.9.']]
    >>> record_rows({"name": "Ada"})
    []
    """
    if isinstance(value, Mapping):
        if _are_keyed(value):
            return [list(object_lines(record, " ".join(str(key).split()))) for key, record in value.items()]
        names, rows = _columns_and_rows(value)
        return [list(object_lines(dict(zip(names, row, strict=True)))) for row in rows]
    if _is_list(value) and all(map(_is_record, value)) and any(len(record) >= _MIN_FIELDS for record in value):
        return [list(object_lines(record)) for record in value]
    return []


def _are_keyed(value: Mapping[Any, Any]) -> bool:
    """Return whether an object consists of several records that share at least half of their fields."""
    records = [record for record in value.values() if isinstance(record, Mapping) and _is_record(record)]
    if len(records) < 2 or len(records) < len(value):
        return False
    fields = [set(record) for record in records]
    return 2 * len(set.intersection(*fields)) >= len(set.union(*fields))


def _columns_and_rows(value: Mapping[Any, Any]) -> tuple[list[str], list[list[object]]]:
    """Return the column names and rows of an object that consists of just these; otherwise empty lists."""
    lists = [candidate for candidate in value.values() if isinstance(candidate, list)]
    if len(value) != 2 or len(lists) != 2:
        return [], []
    names, rows = sorted(lists, key=lambda candidate: any(isinstance(item, list) for item in candidate))
    is_table = rows and all(isinstance(row, list) and len(row) == len(names) for row in rows)
    is_named = len(names) > 1 and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return (names, rows) if is_table and is_named and all(all(map(_is_scalar, row)) for row in rows) else ([], [])


def _is_record(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether an object has scalar values, no long texts, and at most one level of nested values."""
    if not isinstance(value, Mapping) or not any(map(_is_scalar, value.values())):
        return False
    return all(map(_is_flat, value.values()))


def _is_flat(value: object) -> bool:
    inner: Iterable[object] = value.values() if isinstance(value, Mapping) else value if _is_list(value) else [value]
    return all(map(_is_scalar, inner))


def _is_scalar(value: object) -> bool:
    is_text = isinstance(value, str) and (len(value) > _MAX_VALUE_CHARACTERS or "\n" in value.strip())
    return not isinstance(value, Mapping | list) and not is_text


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and bool(value)


@lru_cache(maxsize=256)
def _names(keys: tuple[str, ...]) -> list[str]:
    """Return column names for keys; cached, because many rows share their keys."""
    return column_names(keys)


def _add_cells(value: object, name: str, depth: int, cells: list[tuple[str, str]]) -> None:
    """Add the scalars in a value, each with its path of keys; drop values that are nested too deeply."""
    if len(cells) >= _MAX_CELLS or depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            _add_cells(item, f"{name} {key}".strip(), depth + 1, cells)
    elif not isinstance(value, list):
        cells.append((name, _scalar(value)))
    elif any(isinstance(item, list | dict) for item in value):
        for number, item in enumerate(value[:_MAX_OBJECTS], start=1):
            _add_cells(item, f"{name} {number}".strip(), depth + 1, cells)
    else:
        texts = [text for item in value if (text := _scalar(item))]
        # A short list, or one of long values, could be mistaken for a single value when joined.
        is_list = len(texts) >= _MIN_LIST_VALUES and all(map(_is_short, texts))
        cells += [(name, ", ".join(texts))] if is_list else [(name, text) for text in texts]


def _is_short(value: str) -> bool:
    return "," not in value and ";" not in value and len(value.split()) <= _MAX_LIST_VALUE_WORDS


def _scalar(value: object) -> str:
    """Format a scalar as text; an empty string for null.

    >>> _scalar(True), _scalar(6.1), _scalar(None), _scalar("Ada")
    ('true', '6.1', '', 'Ada')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
