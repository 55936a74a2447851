"""HTTP client below the official one: every request, retries included, passes the concurrency limiter."""

import asyncio
import functools
import math
import ssl
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from polyadic.llm.adaptive_concurrency import AdaptiveConcurrencyLimiter

LARGEST_REPLY = 64_000_000
"""Bytes; far more than the longest reply of any model, or the vectors of the largest call."""
_TOO_MANY = 429
_BUSY = 503


class ReplyTooLarge(openai.OpenAIError):
    """A reply exceeds the size limit."""


class ThrottledClient(openai.DefaultAsyncHttpxClient):
    """HTTP client that waits for the concurrency limiter before each request and reports the outcome to it.

    Parameters
    ----------
    pace
        Concurrency limiter of the endpoint.
    seconds
        Timeout for a complete reply, from the start of the request. The official client limits the time between two
        pieces; for a streamed reply that is the only limit.
    """

    def __init__(self, pace: AdaptiveConcurrencyLimiter, seconds: float) -> None:
        super().__init__(verify=_tls_context(), event_hooks={"response": [_limit_size]})
        self._pace = pace
        self._seconds = seconds

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        async with self._pace.turn() as began:
            try:
                async with asyncio.timeout(None if stream else self._seconds):
                    response = await super().send(request, stream=stream, **options)
            except TimeoutError:
                # Data may have arrived all the time without completing the reply.
                raise httpx2.ReadTimeout("no complete reply in time", request=request) from None
            wait = seconds_to_wait(response.headers)
            if response.status_code == _TOO_MANY or (response.status_code == _BUSY and wait):
                self._pace.refused(began, wait)
            elif response.is_success:
                self._pace.went_well(began)
            return response


@functools.cache
def _tls_context() -> ssl.SSLContext:
    """Read the trusted certificates, once per process: it takes longer than to connect."""
    return httpx2.create_ssl_context()


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    """Return how many seconds an endpoint asks to wait before the next call; 0 if it does not say.

    >>> seconds_to_wait({"retry-after": "2"}), seconds_to_wait({"retry-after-ms": "250"})
    (2.0, 0.25)
    >>> seconds_to_wait({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}), seconds_to_wait({"retry-after": "soon"})
    (0.0, 0.0)
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _seconds(headers.get(name, ""))
        if math.isfinite(seconds):
            return max(0.0, seconds * unit)
    return 0.0


def _seconds(value: str) -> float:
    """Parse a number, or the time until a date; NaN if it is neither."""
    try:
        return float(value)
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return math.nan
    return (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


async def _limit_size(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _LimitedStream(response.stream)


class _LimitedStream(httpx2.AsyncByteStream):
    """A response stream limited to ``LARGEST_REPLY`` bytes."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > LARGEST_REPLY:
                raise ReplyTooLarge
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
