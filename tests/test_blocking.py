"""Plain code can wait for asynchronous work anywhere."""

import asyncio
import os
import signal
import threading
import time

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


def test_a_plain_method_within_the_work_of_another_is_refused_instead_of_waiting_for_itself() -> None:
    async def inside() -> int:
        return wait_for(three())

    with pytest.raises(RuntimeError, match="asynchronous twin"):
        wait_for(inside())


def test_what_is_interrupted_has_cleaned_up_before_the_interruption_is_seen() -> None:
    events = []

    async def work() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.1)
            events.append("cleaned up")

    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait_for(work())
    events.append("seen")
    assert events == ["cleaned up", "seen"]
    assert time.monotonic() - started < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_a_loop_of_its_own() -> None:
    assert wait_for(three()) == 3
    child = os.fork()
    if child == 0:
        os._exit(0 if wait_for(three()) == 3 else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child waits for a loop that nobody runs")
