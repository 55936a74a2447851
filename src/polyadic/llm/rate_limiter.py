"""So much in any minute, and no more."""

import asyncio
from dataclasses import dataclass
from typing import Protocol, Self

from aiolimiter import AsyncLimiter

from polyadic.config import EndpointSettings

# This share may be used at once; the rest is handed out evenly, so that no minute holds more than the whole.
_AT_ONCE = 0.05


class RateLimiterProtocol(Protocol):
    """Whoever may use something asks it first."""

    async def take(self, amount: float = 1.0) -> None:
        """Wait until there is so much."""


class RateLimiter:
    """What may be used in any stretch of so many seconds.

    Parameters
    ----------
    most
        Requests or tokens.
    seconds
        The stretch.
    """

    def __init__(self, most: int, seconds: float = 60.0) -> None:
        self._most = most
        self._portion = max(1.0, most * _AT_ONCE)
        # Of an allowance of one there is no rest to hand out, and it comes back after two stretches.
        self._bucket = AsyncLimiter(self._portion, seconds * self._portion / max(most - self._portion, most / 2))
        self._in_order = asyncio.Lock()

    async def take(self, amount: float = 1.0) -> None:
        """Wait until there is so much; of what is more than the whole allowance, until there is all of it."""
        left = min(amount, float(self._most))
        async with self._in_order:
            while left > 0:
                portion = min(left, self._portion)
                await self._bucket.acquire(portion)
                left -= portion


def per_minute(most: int) -> RateLimiter | None:
    """The allowance that a setting names; None where it is 0, which is no limit."""
    return RateLimiter(most) if most else None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How many requests, and how many tokens, an endpoint allows in a minute; None is no limit."""

    requests: RateLimiterProtocol | None = None
    tokens: RateLimiterProtocol | None = None

    @classmethod
    def of(cls, settings: EndpointSettings) -> Self:
        """Those that the settings name, as if nobody else used the endpoint."""
        return cls(per_minute(settings.requests_per_minute), per_minute(settings.tokens_per_minute))
