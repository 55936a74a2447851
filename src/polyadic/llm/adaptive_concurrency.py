"""How many calls are under way at once: fewer where the endpoint says that these are too many, and more again after.

Additive increase where it goes well would take hours to come back from a long way down; here the number halves with a
refusal and grows by a fiftieth with each reply. It may fall below one: then there is one call at a time, and a rest
after each, so that a call is under way that share of the time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from polyadic.llm.rate_limiter import RateLimiterProtocol

LONGEST_WAIT = 120.0
"""Seconds. An endpoint that asks for a longer wait is not waited for: the call has failed."""
_DOWN, _UP = 0.5, 1.02
_LEAST = 1 / 64
# Where it does not say how long to wait: so that the number halves again only for what comes of the new one.
_USUAL_WAIT = 0.5
# A call that took long is no reason to do nothing for many times as long.
_LONGEST_REST = 15.0


class AdaptiveConcurrencyLimiter:
    """Lets calls to one endpoint begin, one after the other in the order in which they came.

    Parameters
    ----------
    most
        How many may be under way at once where nothing is refused.
    requests
        How many may begin in a minute; None: any number.
    report_slowed
        Called each time that the number is halved.
    """

    def __init__(
        self, most: int, requests: RateLimiterProtocol | None = None, report_slowed: Callable[[], None] = lambda: None
    ) -> None:
        self._most = float(most)
        self._limit = float(most)
        self._requests = requests
        self._report_slowed = report_slowed
        self._under_way = 0
        self._closed_until = self._slowed_at = 0.0
        self._door = asyncio.Lock()
        self._ended = asyncio.Event()

    @property
    def at_once(self) -> int:
        """How many calls may be under way at this moment.

        >>> AdaptiveConcurrencyLimiter(16).at_once
        16
        """
        return max(1, int(self._limit))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Enter once one more call may begin; gives the time at which it does."""
        async with self._door:
            await self._opened()
            self._under_way += 1
        try:
            yield monotonic()
        finally:
            self._under_way -= 1
            self._ended.set()

    def went_well(self, began: float) -> None:
        """A call that began then has brought its reply."""
        now = monotonic()
        self._limit = min(self._most, self._limit * _UP)
        if self._limit < 1:
            self._close(now + min((now - began) * (1 / self._limit - 1), _LONGEST_REST))

    def refused(self, began: float, wait: float) -> None:
        """The endpoint says that there are too many calls; ``wait`` is for how many seconds it wants none, or 0."""
        now = monotonic()
        # Calls that were under way when it was slowed down say nothing of how it goes since.
        if began >= self._slowed_at:
            self._limit = max(_LEAST, self._limit * _DOWN)
            self._slowed_at = now
            self._report_slowed()
        if wait <= LONGEST_WAIT:
            self._close(now + (wait or _USUAL_WAIT))

    def _close(self, until: float) -> None:
        """No call begins before that."""
        self._closed_until = max(self._closed_until, until)

    async def _opened(self) -> None:
        while self._under_way >= self.at_once or self._closed_until > monotonic():
            if self._under_way >= self.at_once:
                self._ended.clear()
                await self._ended.wait()
            else:
                await asyncio.sleep(self._closed_until - monotonic())
        if self._requests:
            await self._requests.take()
