"""Blocking work in a thread is not abandoned."""

import asyncio
import threading

import pytest

from polyadic.concurrency.run_in_thread import run_in_thread


@pytest.mark.parametrize("times", [1, 2])
def test_work_in_a_thread_ends_before_the_cancellation_of_its_caller_is_raised(times: int) -> None:
    events = []
    released = threading.Event()

    def work() -> None:
        released.wait(20)
        events.append("done")

    async def cancelled() -> None:
        waiting = asyncio.create_task(run_in_thread(work))
        for _ in range(times):
            await asyncio.sleep(0.02)
            waiting.cancel()
        await asyncio.sleep(0.02)
        assert not waiting.done()
        released.set()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        events.append("cancelled")

    asyncio.run(cancelled())
    assert events == ["done", "cancelled"]
