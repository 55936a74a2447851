"""Programs that run for a limited time."""

import asyncio
import gc

import pytest

from polyadic.concurrency.timed_subprocess import run_bounded


@pytest.mark.parametrize("steps", range(3, 9))
def test_a_caller_that_is_cancelled_twice_leaves_nothing_open(steps: int) -> None:
    async def cancelled_twice() -> None:
        running = asyncio.create_task(run_bounded(["sleep", "60"], b"", 60))
        await asyncio.sleep(0.2)
        running.cancel()
        # Meanwhile it has killed the program, and waits for its end.
        for _ in range(steps):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled_twice())
    # A process that is still open would warn, which fails a test.
    gc.collect()


def test_a_program_that_takes_too_long_is_killed() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(run_bounded(["sleep", "60"], b"", 0.2))
