"""Records in nested data: lists of objects, objects under keys, and rows below the names of their columns."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeGuard

from polyadic.loaders.tables.table_text import column_names, named_lines

_DEEPEST = 4
_MOST_CELLS = 5_000
_MOST_OBJECTS = 50
# Of a list in one cell: more values than two, each so short that it is no statement.
_LEAST_IN_A_CELL, _LONGEST_IN_A_CELL = 3, 4  # values, words
_FEWEST_FIELDS, _LONGEST_VALUE = 2, 500


def object_lines(values: Mapping[str, object], key: str = "") -> Iterator[str]:
    """The line of an object as a row; several where it would be too long.

    Parameters
    ----------
    values
        What it holds; of nested objects the names of the fields are joined.
    key
        What it stands under.

    >>> list(object_lines({"price": 24.9, "made": {"in": "Ulm"}, "sizes": [1, 2, 3], "new": None}, key="hose"))
    ['- hose; price: 24.9; made in: Ulm; sizes: 1, 2, 3.']
    """
    cells: list[tuple[str, str]] = []
    _add_cells(values, "", 0, cells)
    names = _names(tuple(name for name, _ in cells))
    keyed = [("", key)] if key else []
    return named_lines([*keyed, *zip(names, (text for _, text in cells), strict=True)])


def record_rows(value: object) -> list[list[str]]:
    """The lines of each record, if a value holds nothing else; no list otherwise.

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
        names, rows = _framed(value)
        return [list(object_lines(dict(zip(names, row, strict=True)))) for row in rows]
    if _is_list(value) and all(map(_is_record, value)) and any(len(one) >= _FEWEST_FIELDS for one in value):
        return [list(object_lines(record)) for record in value]
    return []


def _are_keyed(value: Mapping[Any, Any]) -> bool:
    """Whether an object holds several records, which have at least half of their fields in common."""
    records = [one for one in value.values() if isinstance(one, Mapping) and _is_record(one)]
    if len(records) < 2 or len(records) < len(value):
        return False
    fields = [set(record) for record in records]
    return 2 * len(set.intersection(*fields)) >= len(set.union(*fields))


def _framed(value: Mapping[Any, Any]) -> tuple[list[str], list[list[object]]]:
    """The names of columns and the rows that an object holds, and nothing else."""
    lists = [one for one in value.values() if isinstance(one, list)]
    if len(value) != 2 or len(lists) != 2:
        return [], []
    names, rows = sorted(lists, key=lambda one: any(isinstance(item, list) for item in one))
    is_table = rows and all(isinstance(row, list) and len(row) == len(names) for row in rows)
    is_named = len(names) > 1 and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return (names, rows) if is_table and is_named and all(all(map(_is_scalar, row)) for row in rows) else ([], [])


def _is_record(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether an object has values of its own, none of them a text, and nothing nested but a level of values."""
    if not isinstance(value, Mapping) or not any(map(_is_scalar, value.values())):
        return False
    return all(map(_is_flat, value.values()))


def _is_flat(value: object) -> bool:
    inner: Iterable[object] = value.values() if isinstance(value, Mapping) else value if _is_list(value) else [value]
    return all(map(_is_scalar, inner))


def _is_scalar(value: object) -> bool:
    is_text = isinstance(value, str) and (len(value) > _LONGEST_VALUE or "\n" in value.strip())
    return not isinstance(value, Mapping | list) and not is_text


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and bool(value)


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
        said = [text for one in value if (text := _scalar(one))]
        # What the cells of few values, or of long ones, list could be taken for one value.
        is_list = len(said) >= _LEAST_IN_A_CELL and all(map(_is_short, said))
        cells += [(name, ", ".join(said))] if is_list else [(name, text) for text in said]


def _is_short(value: str) -> bool:
    return "," not in value and ";" not in value and len(value.split()) <= _LONGEST_IN_A_CELL


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
