"""Plain code can wait for asynchronous work anywhere."""

import asyncio

import pytest

from polyadic.blocking import wait_for


async def three() -> int:
    await asyncio.sleep(0)
    return 3


async def failing() -> None:
    raise ValueError("on purpose")


def test_it_works_within_a_running_loop() -> None:
    async def inside() -> int:
        return wait_for(three())

    assert asyncio.run(inside()) == 3


def test_errors_come_through() -> None:
    with pytest.raises(ValueError, match="on purpose"):
        wait_for(failing())
