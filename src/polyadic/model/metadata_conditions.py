"""Conditions on the metadata of documents, as document filters have them.

A condition is a key and a value. A key that ends with an operator, such as ``date>=``, compares; any other asks for
exactly this value. Values are compared as text, which orders dates (ISO 8601).
"""

from typing import Literal

Operator = Literal["=", ">=", "<="]
_COMPARISONS: tuple[Operator, ...] = (">=", "<=")


def parse_key(key: str) -> tuple[str, Operator]:
    """Return the name of the metadata and the operator of a condition's key.

    >>> parse_key("date>="), parse_key("year")
    (('date', '>='), ('year', '='))
    """
    for operator in _COMPARISONS:
        if key.endswith(operator):
            return key.removesuffix(operator), operator
    return key, "="


def meets(value: str, operator: Operator, bound: str) -> bool:
    """Return whether a value meets a condition.

    No more characters than the bound has are compared to an upper bound, so that a day is within its year.

    >>> meets("2024-12-31", "<=", "2024"), meets("2025-01-01", "<=", "2024"), meets("2024-01-01", ">=", "2024")
    (True, False, True)
    """
    match operator:
        case ">=":
            return value >= bound
        case "<=":
            return value[: len(bound)] <= bound
        case "=":
            return value == bound


def condition_text(key: str, value: str) -> str:
    """Write a condition as users give it.

    >>> condition_text("date>=", "2024"), condition_text("year", "1843")
    ('date>=2024', 'year=1843')
    """
    name, operator = parse_key(key)
    return f"{name}{operator}{value}"
