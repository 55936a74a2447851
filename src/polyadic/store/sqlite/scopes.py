"""The scopes of the last filters, kept for the next question: the same few are asked for again."""

import threading

from polyadic.store.arrays.flat import flat
from polyadic.store.arrays.scope import Scope, Totals, scope_of
from polyadic.store.arrays.snapshot import Snapshot
from polyadic.store.arrays.state import State
from polyadic.store.connection import Connection

_KEPT = 8


class Scopes:
    """Keeps scopes of the state that was asked for last."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._state: State | None = None
        self._flat: Snapshot | None = None
        self._scopes: dict[frozenset[str], Scope] = {}

    def of(self, connection: Connection, state: State, only: frozenset[str]) -> Scope:
        """The scope of these documents within the state that the connection reads."""
        with self._changing:
            if self._state is not state:
                self._state, self._flat, self._scopes = state, None, {}
            kept, whole = self._scopes.get(only), self._flat
        if kept is None:
            whole = whole or flat(state)
            kept = scope_of(connection, state, whole, Totals.of(whole), only)
        with self._changing:
            if self._state is state:
                self._flat = self._flat or whole
                self._scopes.pop(only, None)
                self._scopes[only] = kept
                for documents in list(self._scopes)[:-_KEPT]:
                    del self._scopes[documents]
        return kept
