"""Doing something to a connection when it comes to a statement."""

from collections.abc import Callable
from typing import Any

import pytest

from polyadic.storage.postgres.keepalive import KeepaliveConnection


class Statements:
    """Counts the statements of all connections, and does something before one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, among: str = "") -> None:
        self.seen = 0
        self._among = among
        self._at = -1
        self._act: Callable[[], None] = lambda: None
        run = KeepaliveConnection.execute

        def execute(connection: KeepaliveConnection, query: Any, *arguments: Any, **named: Any) -> Any:
            statement = query.decode() if isinstance(query, bytes) else str(query)
            if self._among in statement:
                self.seen += 1
                if self.seen == self._at:
                    self._act()
            return run(connection, query, *arguments, **named)

        monkeypatch.setattr(KeepaliveConnection, "execute", execute)

    def at(self, number: int, act: Callable[[], None]) -> None:
        """Counted from here, before the statement of this number (from 1) do it."""
        self.seen, self._at, self._act = 0, number, act
