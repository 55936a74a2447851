"""Synchronous code runs coroutines anywhere."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator
from contextvars import ContextVar

import pytest

from polyadic.concurrency.async_to_sync import async_iter_to_sync, run_coroutine


async def three() -> int:
    await asyncio.sleep(0)
    return 3


async def failing() -> None:
    raise ValueError("on purpose")


def test_it_works_within_a_running_loop() -> None:
    async def inside() -> int:
        return run_coroutine(three())

    assert asyncio.run(inside()) == 3


def test_errors_come_through() -> None:
    with pytest.raises(ValueError, match="on purpose"):
        run_coroutine(failing())


def test_a_plain_method_within_the_work_of_another_is_refused_instead_of_waiting_for_itself() -> None:
    async def inside() -> int:
        return run_coroutine(three())

    with pytest.raises(RuntimeError, match="use the asynchronous method"):
        run_coroutine(inside())


def test_what_is_interrupted_has_cleaned_up_before_the_interruption_is_seen() -> None:
    events = []

    async def work() -> None:
        # From here, so that the loop has begun, however slow the machine is.
        asyncio.get_running_loop().call_later(0.2, os.kill, os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.1)
            events.append("cleaned up")

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_coroutine(work())
    events.append("seen")
    assert events == ["cleaned up", "seen"]
    assert time.monotonic() - started < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_a_loop_of_its_own() -> None:
    assert run_coroutine(three()) == 3
    child = os.fork()
    if child == 0:
        os._exit(0 if run_coroutine(three()) == 3 else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child waits for a loop that nobody runs")


def test_a_coroutine_runs_in_the_context_of_its_caller() -> None:
    place: ContextVar[str] = ContextVar("place")

    async def work() -> str:
        return place.get()

    place.set("caller")
    assert run_coroutine(work()) == "caller"


def test_a_generator_is_closed_when_the_iteration_ends_early() -> None:
    events = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            yield 1
            yield 2
        finally:
            events.append("closed")

    items = async_iter_to_sync(numbers)()
    assert next(items) == 1
    del items
    assert events == ["closed"]
