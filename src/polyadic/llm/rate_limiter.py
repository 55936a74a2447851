"""Sliding-window rate limiter for requests or tokens per minute."""

import asyncio
from dataclasses import dataclass
from typing import Protocol, Self

from aiolimiter import AsyncLimiter

from polyadic.config import EndpointSettings

# Fraction of the limit available as a burst; the rest is released evenly, so that no window exceeds the limit.
_AT_ONCE = 0.05


class RateLimiterProtocol(Protocol):
    """A limiter that callers acquire capacity from before they use it."""

    async def take(self, amount: float = 1.0) -> None:
        """Wait until ``amount`` is available."""


class RateLimiter:
    """Limit the amount used in any time window.

    Parameters
    ----------
    most
        Maximum number of requests or tokens in a window.
    seconds
        Length of the window.
    """

    def __init__(self, most: int, seconds: float = 60.0) -> None:
        self._most = most
        self._portion = max(1.0, most * _AT_ONCE)
        # With a limit of one, nothing is left to release evenly, and capacity returns after two windows.
        self._bucket = AsyncLimiter(self._portion, seconds * self._portion / max(most - self._portion, most / 2))
        self._in_order = asyncio.Lock()

    async def take(self, amount: float = 1.0) -> None:
        """Wait until ``amount`` is available; an amount above the limit waits for the whole limit."""
        left = min(amount, float(self._most))
        async with self._in_order:
            while left > 0:
                portion = min(left, self._portion)
                await self._bucket.acquire(portion)
                left -= portion


def per_minute(most: int) -> RateLimiter | None:
    """Create the rate limiter for a setting; None if it is 0, which means no limit."""
    return RateLimiter(most) if most else None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Limits for requests and tokens per minute of an endpoint; None for no limit."""

    requests: RateLimiterProtocol | None = None
    tokens: RateLimiterProtocol | None = None

    @classmethod
    def of(cls, settings: EndpointSettings) -> Self:
        """Create the limits in the settings, for a single user of the endpoint."""
        return cls(per_minute(settings.requests_per_minute), per_minute(settings.tokens_per_minute))
