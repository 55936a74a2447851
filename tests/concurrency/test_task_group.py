"""Tasks of a group end together, and the first error is raised as it is."""

import asyncio

import pytest

from polyadic.concurrency.task_group import task_group


def test_the_first_error_is_raised_itself_once_the_others_are_cancelled() -> None:
    events = []

    async def fail() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("first")

    async def slow() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            events.append("cancelled")
            raise ValueError("second")

    async def main() -> None:
        async with task_group() as tasks:
            tasks.create_task(slow())
            tasks.create_task(fail())

    with pytest.raises(ValueError, match="first"):
        asyncio.run(main())
    assert events == ["cancelled"]
