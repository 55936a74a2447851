"""Plain code can wait for asynchronous work anywhere."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Sequence

import pytest

from polyadic.concurrency.sync import MicroBatcher, run_in_thread, wait_sync


async def three() -> int:
    await asyncio.sleep(0)
    return 3


async def failing() -> None:
    raise ValueError("on purpose")


def test_sync_works_within_a_running_loop() -> None:
    async def inside() -> int:
        return wait_sync(three())

    assert asyncio.run(inside()) == 3


def test_errors_propagate() -> None:
    with pytest.raises(ValueError, match="on purpose"):
        wait_sync(failing())


def test_nested_sync_call_is_refused_instead_of_deadlocking() -> None:
    async def inside() -> int:
        return wait_sync(three())

    with pytest.raises(RuntimeError, match="use the asynchronous method"):
        wait_sync(inside())


def test_interrupted_work_cleans_up_before_the_interrupt_is_raised() -> None:
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
        wait_sync(work())
    events.append("seen")
    assert events == ["cleaned up", "seen"]
    assert time.monotonic() - started < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_child_has_its_own_loop() -> None:
    assert wait_sync(three()) == 3
    child = os.fork()
    if child == 0:
        os._exit(0 if wait_sync(three()) == 3 else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child waits for a loop that nobody runs")


def test_thread_work_completes_if_the_caller_is_cancelled() -> None:
    events = []

    def work() -> None:
        time.sleep(0.1)
        events.append("done")

    async def cancelled() -> None:
        waiting = asyncio.create_task(run_in_thread(work))
        await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        events.append("cancelled")

    asyncio.run(cancelled())
    assert events == ["done", "cancelled"]


def test_concurrent_requests_are_batched_and_errors_reach_their_callers() -> None:
    done: list[list[int]] = []

    async def do(items: Sequence[int]) -> None:
        done.append([*items])
        await asyncio.sleep(0.01)
        if 3 in items:
            raise ValueError("on purpose")

    async def asked() -> list[BaseException | None]:
        together = MicroBatcher(do)
        first = asyncio.create_task(together.done(0))
        await asyncio.sleep(0.005)
        others = [asyncio.create_task(together.done(n)) for n in (1, 2, 3)]
        await asyncio.sleep(0)
        others[0].cancel()
        return await asyncio.gather(first, *others, return_exceptions=True)

    outcomes = asyncio.run(asked())
    assert done == [[0], [1, 2, 3]]
    assert [type(outcome) for outcome in outcomes] == [type(None), asyncio.CancelledError, ValueError, ValueError]
