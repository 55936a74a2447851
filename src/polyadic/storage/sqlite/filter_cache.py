"""The scopes of the last filters, kept for the next question: the same few are asked for again."""

import threading

from polyadic.storage.connection import Connection
from polyadic.storage.memory.filter_view import CorpusTotals, FilteredView, scope_of
from polyadic.storage.memory.flat_snapshot import flat
from polyadic.storage.memory.snapshot import ArraySnapshot
from polyadic.storage.memory.state import StoreState

_KEPT = 8


class FilterCache:
    """Keeps scopes of the state that was asked for last."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._state: StoreState | None = None
        self._flat: ArraySnapshot | None = None
        self._scopes: dict[frozenset[str], FilteredView] = {}

    def of(self, connection: Connection, state: StoreState, only: frozenset[str]) -> FilteredView:
        """The scope of these documents within the state that the connection reads."""
        with self._changing:
            if self._state is not state:
                self._state, self._flat, self._scopes = state, None, {}
            kept, whole = self._scopes.get(only), self._flat
        if kept is None:
            whole = whole or flat(state)
            kept = scope_of(connection, state, whole, CorpusTotals.of(whole), only)
        with self._changing:
            if self._state is state:
                self._flat = self._flat or whole
                self._scopes.pop(only, None)
                self._scopes[only] = kept
                for documents in list(self._scopes)[:-_KEPT]:
                    del self._scopes[documents]
        return kept
