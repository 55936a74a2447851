"""The arrays of the hierarchy, kept for the next question as long as the same state is read."""

import threading

from polyadic.store.arrays.scope import Scope
from polyadic.store.arrays.theme_arrays import Numbering, ThemeArrays, in_order
from polyadic.store.arrays.theme_scope import Grounds, ScopedThemes, scoped
from polyadic.store.connection import Connection
from polyadic.store.tables import changes
from polyadic.store.tables.meta import metas
from polyadic.store.tables.theme_tables import GENERATION

_SCOPES_KEPT = 8


class ThemeState:
    """What is made of one state of the hierarchy over one state of the store, when it is first asked for."""

    def __init__(self, name: tuple[str, str], numbering: Numbering) -> None:
        self.name = name
        self._numbering = numbering
        self._making = threading.Lock()
        self._arrays: ThemeArrays | None = None
        self._grounds: Grounds | None = None
        self._scopes: dict[frozenset[str], ScopedThemes] = {}

    def arrays(self, connection: Connection) -> ThemeArrays:
        with self._making:
            if self._arrays is None:
                self._arrays = ThemeArrays.build(connection, self._numbering)
            return self._arrays

    def within(self, connection: Connection, scope: Scope) -> ScopedThemes:
        arrays = self.arrays(connection)
        with self._making:
            if self._grounds is None:
                self._grounds = Grounds.build(connection)
            kept = self._scopes.pop(scope.documents, None)
            found = kept or scoped(arrays, self._grounds, scope.whole["entity"], scope.whole["fact"])
            self._scopes[scope.documents] = found
            for documents in list(self._scopes)[:-_SCOPES_KEPT]:
                del self._scopes[documents]
            return found


class ThemeCache:
    """Keeps the state that was read last."""

    def __init__(self, numbering: Numbering = in_order) -> None:
        self._numbering = numbering
        self._reading = threading.Lock()
        self._state: ThemeState | None = None

    def state(self, connection: Connection) -> ThemeState:
        """That of the state that a connection is reading."""
        generation, hierarchy = metas(connection, (changes.GENERATION, GENERATION))
        name = (generation, hierarchy)
        with self._reading:
            if self._state is None or self._state.name != name:
                self._state = ThemeState(name, self._numbering)
            return self._state
