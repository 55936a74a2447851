"""Back off when an endpoint reports overload: fewer concurrent calls, then more again.

Additive increase would take hours to recover from a low limit. Here the limit halves with each refusal and grows by a
fiftieth with each reply. It may fall below one: then calls run one at a time with a pause after each, so that the
fraction of time in which a call is running equals the limit.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from polyadic.llm.rate_limiter import RateLimiterProtocol

LONGEST_WAIT = 120.0
"""Seconds. If an endpoint asks for a longer wait, the call fails instead."""
_DOWN, _UP = 0.5, 1.02
_LEAST = 1 / 64
# Wait if the endpoint names none, so that the limit halves again only for responses to calls made after the change.
_DEFAULT_WAIT = 0.5
# Limits the pause after a slow call.
_LONGEST_REST = 15.0


class AdaptiveConcurrencyLimiter:
    """Start calls to one endpoint in order of arrival, within a limit that adapts to refusals.

    Parameters
    ----------
    most
        Maximum number of concurrent calls.
    requests
        Rate limiter for the start of calls; None for no limit.
    report_slowed
        Called each time the limit is halved.
    """

    def __init__(
        self, most: int, requests: RateLimiterProtocol | None = None, report_slowed: Callable[[], None] = lambda: None
    ) -> None:
        self._most = float(most)
        self._limit = float(most)
        self._requests = requests
        self._report_slowed = report_slowed
        self._running = 0
        self._closed_until = self._slowed_at = 0.0
        self._entry = asyncio.Lock()
        self._ended = asyncio.Event()

    @property
    def at_once(self) -> int:
        """Return the current limit of concurrent calls.

        >>> AdaptiveConcurrencyLimiter(16).at_once
        16
        """
        return max(1, int(self._limit))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Enter when another call may start; yield its start time."""
        async with self._entry:
            await self._wait_for_capacity()
            self._running += 1
        try:
            yield monotonic()
        finally:
            self._running -= 1
            self._ended.set()

    def went_well(self, began: float) -> None:
        """Record a successful reply to a call that started at ``began``."""
        now = monotonic()
        self._limit = min(self._most, self._limit * _UP)
        if self._limit < 1:
            self._close(now + min((now - began) * (1 / self._limit - 1), _LONGEST_REST))

    def refused(self, began: float, wait: float) -> None:
        """Record a refusal because of too many calls; ``wait`` is the requested pause in seconds, or 0."""
        now = monotonic()
        # Calls that started before the last reduction say nothing about the new limit.
        if began >= self._slowed_at:
            self._limit = max(_LEAST, self._limit * _DOWN)
            self._slowed_at = now
            self._report_slowed()
        if wait <= LONGEST_WAIT:
            self._close(now + (wait or _DEFAULT_WAIT))

    def _close(self, until: float) -> None:
        """Start no call before ``until``."""
        self._closed_until = max(self._closed_until, until)

    async def _wait_for_capacity(self) -> None:
        while self._running >= self.at_once or self._closed_until > monotonic():
            if self._running >= self.at_once:
                self._ended.clear()
                await self._ended.wait()
            else:
                await asyncio.sleep(self._closed_until - monotonic())
        if self._requests:
            await self._requests.take()
