"""Some documents of a workspace, read as if there were no others.

What they state is read out of the tables as SQLite's arrays are (storage/memory/builder.py), of these documents alone,
and kept for the next question as long as nothing changes: what that takes grows with the documents asked for, not with
all.
"""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyadic.storage.connection import Connection, Cursor
from polyadic.storage.incidence import Integers
from polyadic.storage.memory.builder import build
from polyadic.storage.memory.filter_view import CorpusTotals, FilteredView, scope_of
from polyadic.storage.memory.filtered_reader import FilteredReader
from polyadic.storage.memory.flat_snapshot import flat
from polyadic.storage.memory.hierarchy_arrays import in_order
from polyadic.storage.memory.hierarchy_cache import HierarchyState
from polyadic.storage.memory.matrix import Matrix
from polyadic.storage.memory.state import StoreState
from polyadic.storage.postgres.full_text import PostgresWordIndex
from polyadic.storage.postgres.schema import SCHEMA
from polyadic.storage.protocol import Reader
from polyadic.storage.sql import change_log
from polyadic.storage.sql.digests import digest_bytes

_KEPT = 8
# Each stands for the table of its name; those within it are the ones above, or tables by their full name.
_SHADOWS = f"""
WITH document AS NOT MATERIALIZED (SELECT * FROM {SCHEMA}.document WHERE digest = ANY(?)),
chunk AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.chunk c WHERE EXISTS (SELECT 1 FROM document d WHERE d.current = c.revision)
),
passage_window AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.passage_window w WHERE EXISTS (SELECT 1 FROM chunk c WHERE c.id = w.chunk)
),
statement AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.statement s WHERE EXISTS (SELECT 1 FROM chunk c WHERE c.id = s.chunk)
),
fact AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.fact f WHERE EXISTS (SELECT 1 FROM statement s WHERE s.fact = f.id)
),
participation AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.participation p WHERE EXISTS (SELECT 1 FROM statement s WHERE s.fact = p.fact)
),
entity AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.entity e WHERE EXISTS (SELECT 1 FROM participation p WHERE p.entity = e.id)
),
called AS NOT MATERIALIZED (
    SELECT * FROM {SCHEMA}.called c WHERE EXISTS (SELECT 1 FROM participation p WHERE p.entity = c.entity)
)
"""


class FilteredConnection:
    """A connection to which there are no documents but some, and nothing but what these state."""

    def __init__(self, connection: Connection, documents: Iterable[str]) -> None:
        self._connection = connection
        self._documents = [digest_bytes(document) for document in sorted(documents)]

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        return self._connection.execute(_SHADOWS + sql, (self._documents, *parameters))

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        raise NotImplementedError("who reads some documents writes nothing")

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True, slots=True)
class _Kept:
    scope: FilteredView
    themes: HierarchyState


class PostgresFilterCache:
    """The scopes of the last filters, of the state that was asked for last."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._state = ""
        self._kept: dict[frozenset[str], _Kept] = {}

    def reader(self, connection: Connection, themes: tuple[str, str], only: frozenset[str]) -> Reader:
        """Reads these documents (by identifier) within the transaction of a connection; ``themes`` names its themes."""
        shadowed = FilteredConnection(connection, only)
        kept = self._of(connection, shadowed, themes, only)
        return FilteredReader(
            shadowed, PostgresWordIndex(shadowed), kept.scope, lambda: kept.themes.within(shadowed, kept.scope)
        )

    def _of(
        self, connection: Connection, shadowed: FilteredConnection, themes: tuple[str, str], only: frozenset[str]
    ) -> _Kept:
        name, number = change_log.present(connection)
        with self._changing:
            if self._state != name:
                self._state, self._kept = name, {}
            kept = self._kept.get(only)
        if kept is None or kept.themes.name != themes:
            scope = kept.scope if kept is not None else _scope(shadowed, name, number, only)
            kept = _Kept(scope, HierarchyState(themes, in_order))
        with self._changing:
            if self._state == name:
                self._kept.pop(only, None)
                self._kept[only] = kept
                for documents in list(self._kept)[:-_KEPT]:
                    del self._kept[documents]
        return kept


def _scope(shadowed: FilteredConnection, name: str, number: int, only: frozenset[str]) -> FilteredView:
    state = StoreState.of(name, number, build(shadowed, Matrix.joined))
    totals = CorpusTotals(
        _numbers(shadowed, "SELECT facts FROM entity ORDER BY digest"),
        _numbers(
            shadowed,
            f"SELECT (SELECT count(DISTINCT s.chunk) FROM {SCHEMA}.statement s WHERE s.fact = f.id) FROM fact f"
            " ORDER BY digest",
        ),
    )
    return scope_of(shadowed, state, flat(state), totals, only)


def _numbers(connection: Connection, sql: str) -> Integers:
    return np.array(connection.execute(sql).fetchall(), dtype=np.int64).reshape(-1)
