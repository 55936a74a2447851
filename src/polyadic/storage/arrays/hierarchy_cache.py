"""Cache of the hierarchy's arrays for the current state."""

import threading

from polyadic.storage.arrays.filter_view import FilteredView
from polyadic.storage.arrays.hierarchy_arrays import HierarchyArrays, Numbering, in_order
from polyadic.storage.arrays.hierarchy_filter import FilteredHierarchy, HierarchyProvenance, scoped
from polyadic.storage.arrays.recent_values import RecentValues
from polyadic.storage.connection import Connection
from polyadic.storage.sql import change_log
from polyadic.storage.sql.hierarchy_tables import GENERATION
from polyadic.storage.sql.meta import metas


class HierarchyState:
    """Arrays and filtered views of one state of the hierarchy, built on first use."""

    def __init__(self, name: tuple[str, str], numbering: Numbering) -> None:
        self.name = name
        self._numbering = numbering
        self._lock = threading.Lock()
        self._arrays: HierarchyArrays | None = None
        self._provenance: HierarchyProvenance | None = None
        self._filtered = RecentValues[frozenset[str], FilteredHierarchy]()

    def arrays(self, connection: Connection) -> HierarchyArrays:
        with self._lock:
            if self._arrays is None:
                self._arrays = HierarchyArrays.build(connection, self._numbering)
            return self._arrays

    def within(self, connection: Connection, scope: FilteredView) -> FilteredHierarchy:
        arrays = self.arrays(connection)
        with self._lock:
            provenance = self._provenance = self._provenance or HierarchyProvenance.build(connection)
        whole = scope.whole
        return self._filtered.get(
            None, scope.documents, lambda: scoped(arrays, provenance, whole["entity"], whole["fact"])
        )


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
