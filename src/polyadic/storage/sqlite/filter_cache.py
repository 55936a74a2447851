"""Cache of document filter views: users tend to repeat the same few filters."""

import threading

from polyadic.storage.arrays.filter_view import CorpusTotals, FilteredView, scope_of
from polyadic.storage.arrays.flat_snapshot import flat
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.connection import Connection

_MAX_VIEWS = 8


class FilterCache:
    """The filter views of the most recently read state."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: StoreState | None = None
        self._flat: ArraySnapshot | None = None
        self._views: dict[frozenset[str], FilteredView] = {}

    def of(self, connection: Connection, state: StoreState, only: frozenset[str]) -> FilteredView:
        """Return the view of these documents in the connection's state."""
        with self._lock:
            if self._state is not state:
                self._state, self._flat, self._views = state, None, {}
            view, whole = self._views.get(only), self._flat
        if view is None:
            whole = whole or flat(state)
            view = scope_of(connection, state, whole, CorpusTotals.of(whole), only)
        with self._lock:
            if self._state is state:
                self._flat = self._flat or whole
                self._views.pop(only, None)
                self._views[only] = view
                for documents in list(self._views)[:-_MAX_VIEWS]:
                    del self._views[documents]
        return view
