"""Translate the SQL shared by all engines into PostgreSQL's dialect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

_PLACEHOLDER = re.compile(r"\?")
_INDEX_HINT = re.compile(r" INDEXED BY \w+")  # only SQLite needs it: its planner knows less of the tables' contents
_CONFLICT = re.compile(r"ON CONFLICT \(([^)]*)\)")
_LIST = re.compile(r"(?P<column>(?!NOT\b)\b[\w.]+) IN \((?P<marks>\?(?:,\?)*)\)")
# Columns that hold texts of any length, which are compared by digest (schema_2.py).
_LONG_TEXT_COLUMN = r"(?:r\.)?(?:key|alias|title_key|title_bare|value)"
_LONG_TEXT_COMPARISON = re.compile(
    rf"(?<![\w.])(?P<column>{_LONG_TEXT_COLUMN}) (?:= (?P<one>\?|r\.\w+)|IN \((?P<any>[^()]*)\))"
)
_SHORT_TEXT_TABLE = re.compile(r"\bmeta\b")


@dataclass(frozen=True, slots=True)
class TranslatedStatement:
    """A translated statement; ``lists`` are the slices of the parameters that are sent as one array each."""

    sql: bytes
    lists: tuple[slice, ...] = ()

    def sent(self, parameters: Sequence[Any]) -> Sequence[Any]:
        """Convert the parameters of the original statement to those of the translated one.

        >>> translated("SELECT id FROM fact WHERE arity = ? AND text IN (?,?)").sent([3, "a", "b"])
        [3, ['a', 'b']]
        """
        if not self.lists:
            return parameters
        sent: list[Any] = []
        given = 0
        for one in self.lists:
            sent += [*parameters[given : one.start], _array(parameters[one])]
            given = one.stop
        return [*sent, *parameters[given:]]


@lru_cache(maxsize=4_096)
def translated(sql: str) -> TranslatedStatement:
    """Translate a statement.

    Conflict targets begin with the workspace, long texts are compared by digest, and a list becomes one array
    parameter, so that lists of any length share one prepared statement.

    >>> translated("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO NOTHING").sql
    b'INSERT INTO meta VALUES (%s, %s) ON CONFLICT (workspace, key) DO NOTHING'
    >>> translated("SELECT text FROM fact WHERE digest IN (?,?)").sql
    b'SELECT text FROM fact WHERE digest = ANY(%s)'
    >>> translated("SELECT value FROM meta WHERE key IN (?,?)").sql
    b'SELECT value FROM meta WHERE key = ANY(%s)'
    >>> translated("SELECT id FROM entity WHERE key = ?").sql
    b'SELECT id FROM entity WHERE key_digest = short_digest(%s)'
    """
    lists = []
    for match in _LIST.finditer(sql):
        first = sql.count("?", 0, match.start())
        lists.append(slice(first, first + match["marks"].count("?")))
    has_long_texts = not _SHORT_TEXT_TABLE.search(sql)
    sql = _LIST.sub(lambda match: _compare_to_list(match["column"], has_long_texts), sql)
    if has_long_texts:
        sql = _CONFLICT.sub(
            lambda match: match[0].replace("value", "value_digest"), _LONG_TEXT_COMPARISON.sub(_by_digest, sql)
        )
    marked = _PLACEHOLDER.sub("%s", _INDEX_HINT.sub("", sql).replace("%", "%%"))
    return TranslatedStatement(marked.replace("ON CONFLICT (", "ON CONFLICT (workspace, ").encode(), tuple(lists))


def _compare_to_list(column: str, has_long_texts: bool) -> str:
    """Compare a column to an array parameter; long texts by digest."""
    if has_long_texts and re.fullmatch(_LONG_TEXT_COLUMN, column):
        return f"{column}_digest = ANY(ARRAY(SELECT short_digest(one) FROM unnest(?::text[]) one))"
    return f"{column} = ANY(?)"


def _by_digest(match: re.Match[str]) -> str:
    """Compare a long text column by digest."""
    column = f"{match['column']}_digest"
    if match["one"]:
        return f"{column} = {_digest(match['one'])}"
    return f"{column} IN ({','.join(_digest(one.strip()) for one in match['any'].split(','))})"


def _digest(text: str) -> str:
    return f"{text}_digest" if text.startswith("r.") else f"short_digest({text})"


def _array(values: Sequence[Any]) -> Any:
    """Make an array parameter; integers are int64 like the tables' keys, so that all lists share one statement."""
    return np.array(values, dtype=np.int64) if isinstance(values[0], int) else list(values)
