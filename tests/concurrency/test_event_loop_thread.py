"""Coroutines run on the loop of another thread, for callers on any loop."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import pytest

from polyadic.concurrency.event_loop_thread import EventLoopThread


async def thread_name() -> str:
    return threading.current_thread().name


def test_a_coroutine_runs_in_the_other_thread_and_its_errors_are_raised_here() -> None:
    async def fail() -> None:
        raise ValueError("on purpose")

    async def main() -> str:
        async with EventLoopThread("elsewhere") as loop:
            with pytest.raises(ValueError, match="on purpose"):
                await loop.run(fail())
            return await loop.run(thread_name())

    assert asyncio.run(main()) == "elsewhere"


@pytest.mark.parametrize("times", [1, 2])
def test_a_cancelled_caller_waits_until_its_coroutine_has_cleaned_up(times: int) -> None:
    events = []

    async def work() -> None:
        events.append("begun")
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.1)
            events.append("cleaned up")

    async def main() -> None:
        async with EventLoopThread("elsewhere") as loop:
            waiting = asyncio.create_task(loop.run(work()))
            while not events:
                await asyncio.sleep(0.005)
            for _ in range(times):
                waiting.cancel()
                await asyncio.sleep(0.02)
            with pytest.raises(asyncio.CancelledError):
                await waiting
            events.append("raised")

    asyncio.run(main())
    assert events == ["begun", "cleaned up", "raised"]


def test_leaving_cancels_what_still_runs() -> None:
    events = []

    async def work() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            events.append("cleaned up")

    async def main() -> None:
        async with EventLoopThread("elsewhere") as loop:
            waiting = asyncio.create_task(loop.run(work()))
            await asyncio.sleep(0.05)
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())
    assert events == ["cleaned up"]


def test_a_stream_has_the_items_in_order_also_those_added_between_two_yields() -> None:
    def make(put: Callable[[str], None]) -> AsyncGenerator[str, None]:
        async def items() -> AsyncGenerator[str, None]:
            yield "1"
            put("between")
            yield threading.current_thread().name

        return items()

    async def main() -> list[str]:
        async with EventLoopThread("elsewhere") as loop, aclosing(loop.stream(make)) as items:
            return [item async for item in items]

    assert asyncio.run(main()) == ["1", "between", "elsewhere"]


def test_leaving_a_stream_early_closes_its_generator() -> None:
    events = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(30)
        finally:
            events.append("closed")

    async def main() -> None:
        async with EventLoopThread("elsewhere") as loop:
            async with aclosing(loop.stream(lambda put: numbers())) as items:
                assert await anext(items) == 1
            events.append("left")

    asyncio.run(main())
    assert events == ["closed", "left"]
