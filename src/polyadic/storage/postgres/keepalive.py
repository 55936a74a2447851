"""Connections that notice when nobody answers any more.

The kernel tells of a host that is gone. Of a link that stays open and carries nothing it does not; so who has heard
nothing for a while asks the server, by a connection of its own, whether it is still at work.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

SILENCE = 30.0
"""Seconds without a word from the server before it is asked whether it is still at work."""


@dataclass(frozen=True, slots=True)
class BackendSession:
    """What a server knows a connection by; numbers of processes are used again."""

    process: int
    begun: datetime


class KeepaliveConnection(psycopg.Connection[tuple[Any, ...]]):
    """Waits for answers as long as the server works on them.

    ``session`` is set once it is known; ``is_at_work`` then tells whether the server works on what it was last told.
    """

    session: BackendSession | None = None
    is_at_work: Callable[[BackendSession], bool] | None = None

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **named: Any) -> Any:
        return super().wait(self._watched(gen), *arguments, **named)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        heard = time.monotonic()
        try:
            state = next(gen)
            while True:
                if ready := (yield state):
                    heard = time.monotonic()
                elif time.monotonic() - heard > SILENCE:
                    self._ask()
                    heard = time.monotonic()
                state = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _ask(self) -> None:
        """Give the connection up unless the server is still at work."""
        if self.session is None or self.is_at_work is None or not self.is_at_work(self.session):
            self.pgconn.finish()
            raise psycopg.OperationalError("the connection is there, and nothing comes back over it")
