"""The HTTP client below the official one: every request, also one that is made again, goes at the endpoint's pace."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from polyadic.llm.adaptive_concurrency import AdaptiveConcurrencyLimiter

LARGEST_REPLY = 64_000_000
"""Bytes; the longest reply of any model, and the vectors of the longest call, have far fewer."""
_TOO_MANY = 429
_BUSY = 503


class ReplyTooLarge(openai.OpenAIError):
    """A reply goes on and on."""


class ThrottledClient(openai.DefaultAsyncHttpxClient):
    """Waits for its turn before each request, and tells the pace what came of it.

    Parameters
    ----------
    pace
        Of the endpoint.
    seconds
        How long a whole reply may take from its turn on; the time between two of its pieces is limited by the official
        client, and is all that is limited of a reply that is streamed.
    """

    def __init__(self, pace: AdaptiveConcurrencyLimiter, seconds: float) -> None:
        super().__init__(event_hooks={"response": [_bound]})
        self._pace = pace
        self._seconds = seconds

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        async with self._pace.turn() as began:
            try:
                async with asyncio.timeout(None if stream else self._seconds):
                    response = await super().send(request, stream=stream, **options)
            except TimeoutError:
                # Something may have come all the time, and never the end.
                raise httpx2.ReadTimeout("no whole reply in time", request=request) from None
            wait = seconds_to_wait(response.headers)
            if response.status_code == _TOO_MANY or (response.status_code == _BUSY and wait):
                self._pace.refused(began, wait)
            elif response.is_success:
                self._pace.went_well(began)
            return response


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    """For how long an endpoint wants no further call; 0 where it does not say.

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


def _seconds(said: str) -> float:
    """A number, or the time until a date; NaN where it is neither."""
    try:
        return float(said)
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return math.nan
    return (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


async def _bound(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """What comes, up to the largest reply there may be."""

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
