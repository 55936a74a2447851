"""The statements that all engines share, as PostgreSQL has them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

_MARK = re.compile(r"\?")
_HINT = re.compile(r" INDEXED BY \w+")  # for SQLite, which knows less of what is in its tables
_CONFLICT = re.compile(r"ON CONFLICT \(([^)]*)\)")
_LIST = re.compile(r"(?P<column>(?!NOT\b)\b[\w.]+) IN \((?P<marks>\?(?:,\?)*)\)")
# What is compared here with columns that hold texts of any length (schema_2.py).
_LONG = r"(?:r\.)?(?:key|loose|title_key|title_bare|value)"
_COMPARED = re.compile(rf"(?<![\w.])(?P<column>{_LONG}) (?:= (?P<one>\?|r\.\w+)|IN \((?P<any>[^()]*)\))")
_SHORT_TEXTS = re.compile(r"\bmeta\b")


@dataclass(frozen=True, slots=True)
class TranslatedStatement:
    """A statement, and which of the parameters that are given go into one array each."""

    sql: bytes
    lists: tuple[slice, ...] = ()

    def sent(self, parameters: Sequence[Any]) -> Sequence[Any]:
        """The parameters as the statement takes them.

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
    """A statement as PostgreSQL has it: keys of tables begin with the workspace, long texts are found by digests, and
    lists are one parameter, so that they make one statement however long they are, which need not be parsed again.

    >>> translated("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO NOTHING").sql
    b'INSERT INTO meta VALUES (%s, %s) ON CONFLICT (workspace, key) DO NOTHING'
    >>> translated("SELECT text FROM fact WHERE digest IN (?,?)").sql
    b'SELECT text FROM fact WHERE digest = ANY(%s)'
    >>> translated("SELECT value FROM meta WHERE key IN (?,?)").sql
    b'SELECT value FROM meta WHERE key = ANY(%s)'
    >>> translated("SELECT id FROM entity WHERE key = ?").sql
    b'SELECT id FROM entity WHERE key_brief = brief(%s)'
    """
    lists = []
    for found in _LIST.finditer(sql):
        first = sql.count("?", 0, found.start())
        lists.append(slice(first, first + found["marks"].count("?")))
    has_long_texts = not _SHORT_TEXTS.search(sql)
    sql = _LIST.sub(lambda found: _any(found["column"], has_long_texts), sql)
    if has_long_texts:
        sql = _CONFLICT.sub(lambda found: found[0].replace("value", "value_brief"), _COMPARED.sub(_briefly, sql))
    marked = _MARK.sub("%s", _HINT.sub("", sql).replace("%", "%%"))
    return TranslatedStatement(marked.replace("ON CONFLICT (", "ON CONFLICT (workspace, ").encode(), tuple(lists))


def _any(column: str, has_long_texts: bool) -> str:
    """A comparison with a list, of texts that may be long by digests."""
    if has_long_texts and re.fullmatch(_LONG, column):
        return f"{column}_brief = ANY(ARRAY(SELECT brief(one) FROM unnest(?::text[]) one))"
    return f"{column} = ANY(?)"


def _briefly(found: re.Match[str]) -> str:
    """A comparison with a text that may be long, by digests."""
    column = f"{found['column']}_brief"
    if found["one"]:
        return f"{column} = {_brief(found['one'])}"
    return f"{column} IN ({','.join(_brief(one.strip()) for one in found['any'].split(','))})"


def _brief(text: str) -> str:
    return f"{text}_brief" if text.startswith("r.") else f"brief({text})"


def _array(values: Sequence[Any]) -> Any:
    """An array; integers are as wide as the keys of tables, so that the statement is the same for all."""
    return np.array(values, dtype=np.int64) if isinstance(values[0], int) else list(values)
