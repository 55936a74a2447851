"""Below the official client: replies that never end, and pauses that endpoints ask for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from email.utils import formatdate
from time import monotonic, time

import pytest

from polyadic.config import ModelSettings
from polyadic.errors import NoReply
from polyadic.llm.adaptive_concurrency import AdaptiveConcurrencyLimiter
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.throttled_client import LARGEST_REPLY, seconds_to_wait
from tests.llm.endpoint_help import question

Sender = Callable[[asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


@asynccontextmanager
async def endpoint(send: Sender) -> AsyncIterator[str]:
    """An endpoint that sends what it likes, for as long as anybody listens."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        try:
            await send(writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"1\r\n \r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def flood(writer: asyncio.StreamWriter) -> None:
    piece = b" " * 1_000_000
    while True:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()


def problem(send: Sender, timeout: float) -> tuple[str, float]:
    async def asked() -> tuple[str, float]:
        async with endpoint(send) as url:
            settings = ModelSettings(name="m", base_url=url, key_variable="", retries=0, timeout=timeout)
            model, started = EndpointModel(settings), monotonic()
            with pytest.raises(NoReply) as raised:
                await model.complete(question())
            await model.close()
            return str(raised.value), monotonic() - started

    return asyncio.run(asked())


def test_slowly_dripping_reply_times_out() -> None:
    said, seconds = problem(drip, 0.5)
    assert "gave no reply within 0.5 s" in said and seconds < 20


def test_endless_reply_is_cut_off() -> None:
    said, _ = problem(flood, 60)
    assert f"more than {LARGEST_REPLY // 1_000_000} MB" in said


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "tomorrow"}, 0),
        ({"retry-after": "Wed, 31 Feb 2026 25:00:00 GMT"}, 0),
        ({"retry-after": formatdate(time() - 100, usegmt=True)}, 0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    ],
)
def test_retry_after_is_parsed(headers: dict[str, str], seconds: float) -> None:
    assert seconds_to_wait(headers) == seconds


def test_retry_after_dates_are_relative_to_now() -> None:
    assert 8 < seconds_to_wait({"retry-after": formatdate(time() + 10, usegmt=True)}) <= 10


def test_concurrency_halves_on_refusal_and_grows_with_replies() -> None:
    slowed: list[int] = []
    pace = AdaptiveConcurrencyLimiter(16, report_slowed=lambda: slowed.append(pace.at_once))
    early = monotonic()
    pace.refused(early, 0.001)
    # A call that began before says nothing of how it goes since.
    pace.refused(early, 0.001)
    assert slowed == [8]
    for _ in range(12):
        pace.refused(monotonic(), 0.001)
    assert pace.at_once == 1 and len(slowed) == 13
    for _ in range(1000):
        pace.went_well(monotonic())
    assert pace.at_once == 16


def test_retry_after_pauses_all_calls_unless_too_long() -> None:
    async def begun(wait: float) -> float:
        pace, started = AdaptiveConcurrencyLimiter(4), monotonic()
        pace.refused(started, wait)

        async def one() -> None:
            async with pace.turn():
                pass

        await asyncio.gather(*(one() for _ in range(4)))
        return monotonic() - started

    assert asyncio.run(begun(0.3)) >= 0.3
    assert asyncio.run(begun(3600)) < 60
