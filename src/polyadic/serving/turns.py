"""How many questions are answered at once, and for how long one may take."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from polyadic.serving.limits import Limits
from polyadic.serving.problems import Refused

_RETRY = {"Retry-After": "5"}


class Turns:
    """Lets some questions at once have their turn; others wait, and too many are turned away at once.

    Parameters
    ----------
    limits
        How many, and how long one may take once it has its turn, waiting for it included.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free = asyncio.Semaphore(limits.questions_at_once)
        self.under_way = 0
        self.waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The turn of one question.

        Raises
        ------
        Refused
            Too many are waiting (503), or it took too long (504).
        """
        if self._free.locked() and self.waiting >= self._limits.questions_waiting:
            raise Refused(503, "too-many-questions", "too many questions are waiting for an answer", _RETRY)
        try:
            async with asyncio.timeout(self._limits.request_seconds):
                await self._wait()
                self.under_way += 1
                try:
                    yield
                finally:
                    self.under_way -= 1
                    self._free.release()
        except TimeoutError:
            raise Refused(504, "took-too-long", "this took longer than the server allows") from None

    async def _wait(self) -> None:
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
