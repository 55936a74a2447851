"""A task of its own produces the items of a stream."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from polyadic.concurrency.task_stream import TaskStream


def test_an_error_is_raised_after_the_items_before_it() -> None:
    async def failing() -> AsyncGenerator[int, None]:
        yield 1
        raise ValueError("on purpose")

    async def main() -> None:
        async with TaskStream.of(failing()) as items:
            assert await anext(items) == 1
            with pytest.raises(ValueError, match="on purpose"):
                await anext(items)

    asyncio.run(main())


def test_leaving_early_ends_the_task_and_closes_the_generators_from_the_inside_out() -> None:
    events = []

    async def inner() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(30)
        finally:
            events.append("inner")

    async def outer() -> AsyncGenerator[int, None]:
        try:
            async for item in inner():
                yield item
        finally:
            events.append("outer")

    async def main() -> None:
        async with TaskStream.of(outer()) as items:
            async for _ in items:
                await asyncio.sleep(0)
                break
            events.append("leaving")

    asyncio.run(main())
    assert events == ["leaving", "inner", "outer"]
