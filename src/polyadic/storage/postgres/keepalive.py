"""Connections that detect a dead link while they wait for a reply.

The kernel reports a host that is gone, but not a link that stays open and carries nothing. After SILENCE seconds
without data, a second connection therefore asks the server whether it is still working on the statement.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

SILENCE = 30.0
"""Seconds without data from the server before its activity is checked."""


@dataclass(frozen=True, slots=True)
class BackendSession:
    """A connection's backend on the server: process id and start time, as process ids are reused."""

    process: int
    begun: datetime


class KeepaliveConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits for a reply as long as the server works on it.

    ``session`` is set once it is known; ``is_at_work`` then returns whether the server works on the last statement.
    """

    session: BackendSession | None = None
    is_at_work: Callable[[BackendSession], bool] | None = None

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **named: Any) -> Any:
        return super().wait(self._watched(gen), *arguments, **named)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        last_activity = time.monotonic()
        try:
            state = next(gen)
            while True:
                if ready := (yield state):
                    last_activity = time.monotonic()
                elif time.monotonic() - last_activity > SILENCE:
                    self._check_activity()
                    last_activity = time.monotonic()
                state = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _check_activity(self) -> None:
        """Close the connection unless the server is still working on the statement."""
        if self.session is None or self.is_at_work is None or not self.is_at_work(self.session):
            self.pgconn.finish()
            raise psycopg.OperationalError("the connection is open, but the server no longer responds over it")
