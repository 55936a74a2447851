"""Read a workspace restricted to some documents, as if there were no others.

Arrays are built from the rows of these documents, as for SQLite (storage/arrays/builder.py), and cached until the store
changes. The cost grows with the selected documents, not with the workspace.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from polyadic.storage.arrays.builder import build
from polyadic.storage.arrays.filter_view import CorpusTotals, FilteredState, filtered
from polyadic.storage.arrays.filtered_reader import FilteredReader
from polyadic.storage.arrays.hierarchy_arrays import HierarchyCache
from polyadic.storage.arrays.recent_values import RecentValues
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.connection import Connection, Cursor
from polyadic.storage.incidence import Integers
from polyadic.storage.postgres.full_text import PostgresWordIndex
from polyadic.storage.postgres.schema import SCHEMA
from polyadic.storage.protocol import Reader
from polyadic.storage.sql import change_log
from polyadic.storage.table import RowChange

_VISIBLE = {
    "chunk": "document d WHERE d.current = t.revision",
    "passage_window": "chunk c WHERE c.id = t.chunk",
    "statement": "chunk c WHERE c.id = t.chunk",
    "fact": "statement s WHERE s.fact = t.id",
    "participation": "statement s WHERE s.fact = t.fact",
    "entity": "participation p WHERE p.entity = t.id",
    "entity_alias": "participation p WHERE p.entity = t.entity",
}
"""Tables, and what a row ``t`` needs to be visible; each refers to those before it."""
# Each expression shadows the table of its name. Within them, a bare name is an expression before, and a qualified name
# is the real table.
_SHADOWS = f"WITH document AS NOT MATERIALIZED (SELECT * FROM {SCHEMA}.document WHERE digest = ANY(?))" + "".join(
    f", {table} AS NOT MATERIALIZED (SELECT * FROM {SCHEMA}.{table} t WHERE EXISTS (SELECT 1 FROM {condition}))"
    for table, condition in _VISIBLE.items()
)


class FilteredConnection:
    """A connection that sees only some documents and the rows that they state."""

    def __init__(self, connection: Connection, documents: Iterable[str]) -> None:
        self._connection = connection
        self._documents = [bytes.fromhex(document) for document in sorted(documents)]

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        return self._connection.execute(f"{_SHADOWS} {sql}", (self._documents, *parameters))

    def change(self, change: RowChange, rows: Iterable[Sequence[Any]], /) -> None:
        raise NotImplementedError("a filtered connection is read-only")

    def conditions(self, values: Sequence[Any], /) -> Iterator[tuple[str, Sequence[Any]]]:
        return self._connection.conditions(values)

    def close(self) -> None:
        self._connection.close()


class PostgresFilterCache:
    """The views of the last filters."""

    def __init__(self) -> None:
        self._views = RecentValues[frozenset[str], FilteredState]()
        self._hierarchies = RecentValues[frozenset[str], HierarchyCache]()

    def reader(self, connection: Connection, only: frozenset[str]) -> Reader:
        """Return a reader restricted to these documents.

        Parameters
        ----------
        connection
            A connection within a transaction.
        only
            Identifiers of the documents.
        """
        shadowed = FilteredConnection(connection, only)
        name, number = change_log.present(connection)
        view = self._views.get(name, only, lambda: _build_view(shadowed, name, number, only))
        hierarchies = self._hierarchies.get(name, only, HierarchyCache)
        return FilteredReader(shadowed, PostgresWordIndex(shadowed), view, lambda: hierarchies.within(shadowed, view))


def _build_view(shadowed: FilteredConnection, name: str, number: int, only: frozenset[str]) -> FilteredState:
    state = StoreState.of(name, number, build(shadowed))
    totals = CorpusTotals(
        _numbers(shadowed, "SELECT facts FROM entity ORDER BY digest"),
        _numbers(
            shadowed,
            f"SELECT (SELECT count(DISTINCT s.chunk) FROM {SCHEMA}.statement s WHERE s.fact = f.id) FROM fact f"
            " ORDER BY digest",
        ),
    )
    return filtered(shadowed, state, only, totals)


def _numbers(connection: Connection, sql: str) -> Integers:
    return np.array(connection.execute(sql).fetchall(), dtype=np.int64).reshape(-1)
