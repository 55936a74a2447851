"""Cache of the hierarchy's arrays for the current state."""

import threading

from polyadic.storage.arrays.filter_view import FilteredView
from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays, Numbering, in_order
from polyadic.storage.arrays.hierarchy_filter import FilteredHierarchy, HierarchyProvenance, scoped
from polyadic.storage.connection import Connection
from polyadic.storage.sql import change_log
from polyadic.storage.sql.hierarchy_tables import GENERATION
from polyadic.storage.sql.meta import metas

_MAX_FILTERS = 8


class HierarchyState:
    """Arrays and filtered views of one state of the hierarchy, built on first use."""

    def __init__(self, name: tuple[str, str], numbering: Numbering) -> None:
        self.name = name
        self._numbering = numbering
        self._lock = threading.Lock()
        self._arrays: HierarchyArrays | None = None
        self._provenance: HierarchyProvenance | None = None
        self._filtered: dict[frozenset[str], FilteredHierarchy] = {}

    def arrays(self, connection: Connection) -> HierarchyArrays:
        with self._lock:
            if self._arrays is None:
                self._arrays = HierarchyArrays.build(connection, self._numbering)
            return self._arrays

    def within(self, connection: Connection, scope: FilteredView) -> FilteredHierarchy:
        arrays = self.arrays(connection)
        with self._lock:
            if self._provenance is None:
                self._provenance = HierarchyProvenance.build(connection)
            cached = self._filtered.pop(scope.documents, None)
            filtered = cached or scoped(arrays, self._provenance, scope.whole["entity"], scope.whole["fact"])
            self._filtered[scope.documents] = filtered
            for documents in list(self._filtered)[:-_MAX_FILTERS]:
                del self._filtered[documents]
            return filtered


class HierarchyCache:
    """The most recently read hierarchy state."""

    def __init__(self, numbering: Numbering = in_order) -> None:
        self._numbering = numbering
        self._lock = threading.Lock()
        self._state: HierarchyState | None = None

    def state(self, connection: Connection) -> HierarchyState:
        """Return the hierarchy state of the connection's transaction."""
        generation, hierarchy = metas(connection, (change_log.GENERATION, GENERATION))
        name = (generation, hierarchy)
        with self._lock:
            if self._state is None or self._state.name != name:
                self._state = HierarchyState(name, self._numbering)
            return self._state
