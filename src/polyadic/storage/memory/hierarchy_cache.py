"""The arrays of the hierarchy, kept for the next question as long as the same state is read."""

import threading

from polyadic.storage.connection import Connection
from polyadic.storage.memory.filter_view import FilteredView
from polyadic.storage.memory.hierarchy_arrays import HierarchyArrays, Numbering, in_order
from polyadic.storage.memory.hierarchy_filter import FilteredHierarchy, HierarchyProvenance, scoped
from polyadic.storage.sql import change_log
from polyadic.storage.sql.hierarchy_tables import GENERATION
from polyadic.storage.sql.meta import metas

_SCOPES_KEPT = 8


class HierarchyState:
    """What is made of one state of the hierarchy over one state of the store, when it is first asked for."""

    def __init__(self, name: tuple[str, str], numbering: Numbering) -> None:
        self.name = name
        self._numbering = numbering
        self._making = threading.Lock()
        self._arrays: HierarchyArrays | None = None
        self._grounds: HierarchyProvenance | None = None
        self._scopes: dict[frozenset[str], FilteredHierarchy] = {}

    def arrays(self, connection: Connection) -> HierarchyArrays:
        with self._making:
            if self._arrays is None:
                self._arrays = HierarchyArrays.build(connection, self._numbering)
            return self._arrays

    def within(self, connection: Connection, scope: FilteredView) -> FilteredHierarchy:
        arrays = self.arrays(connection)
        with self._making:
            if self._grounds is None:
                self._grounds = HierarchyProvenance.build(connection)
            kept = self._scopes.pop(scope.documents, None)
            found = kept or scoped(arrays, self._grounds, scope.whole["entity"], scope.whole["fact"])
            self._scopes[scope.documents] = found
            for documents in list(self._scopes)[:-_SCOPES_KEPT]:
                del self._scopes[documents]
            return found


class HierarchyCache:
    """Keeps the state that was read last."""

    def __init__(self, numbering: Numbering = in_order) -> None:
        self._numbering = numbering
        self._reading = threading.Lock()
        self._state: HierarchyState | None = None

    def state(self, connection: Connection) -> HierarchyState:
        """That of the state that a connection is reading."""
        generation, hierarchy = metas(connection, (change_log.GENERATION, GENERATION))
        name = (generation, hierarchy)
        with self._reading:
            if self._state is None or self._state.name != name:
                self._state = HierarchyState(name, self._numbering)
            return self._state
