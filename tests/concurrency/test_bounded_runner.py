"""Many calls, at most N of them at the same time, none of which is paid for in vain."""

import asyncio

import pytest

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.errors import ModelUnavailable


class Calls:
    """Calls that take longer the later their item, with what began and what ended."""

    def __init__(self, fails_at: int = -1, error: Exception | None = None) -> None:
        self.begun: list[int] = []
        self.ended: list[int] = []
        self.cancelled: list[int] = []
        self.most_at_once = self._at_once = 0
        self._fails_at, self._error = fails_at, error

    async def call(self, item: int) -> str:
        self.begun.append(item)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(0.002 * (item + 1))
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            self.cancelled.append(item)
            raise
        finally:
            self._at_once -= 1
        if item == self._fails_at and self._error:
            raise self._error
        self.ended.append(item)
        return str(item)


@pytest.mark.parametrize("at_once", [1, 3, 30])
def test_results_are_in_the_order_of_the_items(at_once: int) -> None:
    calls, runner = Calls(), BoundedRunner(at_once)
    assert asyncio.run(runner.map(calls.call, [2, 0, 1, 5, 4, 3])) == ["2", "0", "1", "5", "4", "3"]
    assert calls.begun == [2, 0, 1, 5, 4, 3]
    assert calls.most_at_once == min(at_once, 6)
    assert (runner.stopped, runner.unavailable, runner.left) == ("", None, 0)


@pytest.mark.parametrize("at_once", [1, 3])
def test_an_unavailable_model_stops_the_run_and_calls_in_progress_complete(at_once: int) -> None:
    gone = ModelUnavailable("gone")
    calls, runner = Calls(4, gone), BoundedRunner(at_once)
    results = asyncio.run(runner.map(calls.call, range(20)))
    assert runner.stopped == "gone" and runner.unavailable is gone
    assert sorted({*calls.ended, 4}) == calls.begun and len(calls.begun) <= 4 + at_once
    assert calls.cancelled == []
    assert results == [str(item) if item in calls.ended else None for item in range(20)]
    assert runner.left == 0
    assert asyncio.run(runner.map(calls.call, [7])) == [None]


def test_the_first_reason_to_stop_is_kept() -> None:
    runner = BoundedRunner(2)
    runner.stop("first")
    runner.stop("second")
    assert runner.stopped == "first"
    assert asyncio.run(runner.map(Calls().call, [1, 2])) == [None, None]


def test_any_other_error_cancels_the_calls_in_progress_and_is_raised_as_it_is() -> None:
    begun, cancelled = [], []

    async def call(item: int) -> None:
        begun.append(item)
        if item == 1:
            await asyncio.sleep(0.02)
            raise ValueError("on purpose")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            cancelled.append(item)
            raise

    runner = BoundedRunner(3)
    with pytest.raises(ValueError, match="on purpose"):
        asyncio.run(runner.map(call, range(20)))
    assert begun == [0, 1, 2] and sorted(cancelled) == [0, 2]
    assert runner.left == 0


def test_a_cancelled_caller_waits_until_its_calls_have_cleaned_up_and_begins_no_more() -> None:
    calls, runner = Calls(), BoundedRunner(2)

    async def main() -> None:
        running = asyncio.create_task(runner.map(calls.call, range(5000, 5040)))
        await asyncio.sleep(0.02)
        assert runner.left == 38
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert calls.begun == sorted(calls.cancelled) == [5000, 5001] and runner.left == 0
        # Its slots are free again.
        assert await runner.map(calls.call, [0, 1, 2]) == ["0", "1", "2"]

    asyncio.run(main())


def test_a_cancellation_that_arrives_as_a_call_ends_begins_no_other() -> None:
    begun = []

    async def main() -> None:
        async def call(item: int) -> None:
            begun.append(item)
            if item == 3:
                running.cancel()

        running = asyncio.create_task(BoundedRunner(1).map(call, range(10)))
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert begun == [0, 1, 2, 3]


def test_callers_share_the_slots_and_the_first_comes_first() -> None:
    calls, runner = Calls(), BoundedRunner(2)

    async def main() -> None:
        first = asyncio.create_task(runner.map(calls.call, range(6)))
        second = asyncio.create_task(runner.map(calls.call, range(6, 9)))
        assert await first == ["0", "1", "2", "3", "4", "5"]
        assert await second == ["6", "7", "8"]

    asyncio.run(main())
    assert calls.begun == [*range(9)] and calls.most_at_once == 2


def test_calls_that_never_wait_leave_the_loop_to_others() -> None:
    done = []

    async def call(item: int) -> None:
        done.append(item)

    async def main() -> None:
        running = asyncio.create_task(BoundedRunner(4).map(call, range(1000)))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(done) < 100
        await running

    asyncio.run(main())
    assert len(done) == 1000
