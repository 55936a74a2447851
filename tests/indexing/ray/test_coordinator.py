"""One budget and one rate for many workers, without Ray: messages are coroutines here."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from polyadic.config import ModelSettings
from polyadic.errors import ModelUnavailable
from polyadic.indexing.ray import coordinator as coordinator_module
from polyadic.indexing.ray.coordinator import Coordinator, SharedBudget, shared_limits
from polyadic.llm.budget import SpendingBudget
from polyadic.model.types import Usage

CALL = Usage(1, 60, 40)


class Handle:
    """What Ray gives for an actor; ``messages`` counts what was sent to it."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self.messages = 0

    def __getattr__(self, name: str) -> Any:
        async def remote(*given: Any) -> Any:
            self.messages += 1
            await asyncio.sleep(0.001)
            return await getattr(self._coordinator, name)(*given)

        return SimpleNamespace(remote=remote)


def coordinator(budget: SpendingBudget | None = None) -> Handle:
    return Handle(Coordinator(ModelSettings(name="m"), budget))


async def call(ledger: SharedBudget, cost: Usage = CALL, most: Usage = CALL) -> bool:
    """Whether there was room for a call, which then cost that."""
    try:
        async with ledger.room_for(most):
            await asyncio.sleep(0.01)
            ledger.pay(cost)
    except ModelUnavailable:
        return False
    return True


@pytest.mark.parametrize(("cost", "made"), [(CALL, 7), (Usage(1, 30, 20), 13), (Usage(1, 5, 5), 40)])
def test_workers_never_exceed_the_budget_and_use_all_of_it(cost: Usage, made: int) -> None:
    async def spend() -> tuple[int, int]:
        budget = SpendingBudget(tokens=749)
        shared = coordinator(budget)
        ledgers = [SharedBudget(shared, str(number), budget) for number in range(4)]
        done = await asyncio.gather(*(call(ledger, cost) for ledger in ledgers for _ in range(10)))
        return sum(done), sum(ledger.spent.tokens for ledger in ledgers)

    calls, spent = asyncio.run(spend())
    assert spent == calls * cost.tokens <= 749
    assert calls == made


def test_expensive_requests_do_not_block_cheaper_ones() -> None:
    async def ask() -> list[bool]:
        budget = SpendingBudget(tokens=150)
        ledger = SharedBudget(coordinator(budget), "one", budget)
        return [*await asyncio.gather(call(ledger, most=Usage(1, 500, 0)), call(ledger), call(ledger))]

    assert asyncio.run(ask()) == [False, True, False]


def test_reservation_of_a_killed_worker_counts_as_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator_module, "_SILENT", 0.1)
    monkeypatch.setattr(coordinator_module, "_BEAT", 0.02)

    async def ask() -> list[bool]:
        budget = SpendingBudget(tokens=250)
        shared = coordinator(budget)
        assert await shared.set_aside.remote("killed", [CALL]) == 1
        other = SharedBudget(shared, "other", budget)
        return [await call(other), await call(other)]

    assert asyncio.run(ask()) == [True, False]


def test_worker_with_long_calls_is_not_treated_as_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator_module, "_SILENT", 1.0)
    monkeypatch.setattr(coordinator_module, "_BEAT", 0.02)

    async def ask() -> bool:
        budget = SpendingBudget(tokens=100)
        shared = coordinator(budget)
        one, other = SharedBudget(shared, "one", budget), SharedBudget(shared, "other", budget)
        async with one.room_for(CALL):
            waiting = asyncio.create_task(call(other))
            await asyncio.sleep(1.5)
            assert not waiting.done()
        # It cost nothing after all.
        return await waiting

    assert asyncio.run(ask())


def test_without_a_budget_usage_is_still_recorded() -> None:
    async def ask() -> tuple[int, Usage]:
        shared = coordinator()
        ledger = SharedBudget(shared, "one", None)
        async with ledger.room_for(CALL):
            pass
        before = shared.messages
        ledger.pay(CALL)
        await asyncio.sleep(0.05)
        assert await shared.spent.remote() == CALL
        return before, ledger.spent

    assert asyncio.run(ask()) == (0, CALL)


def test_without_a_budget_usage_reports_are_batched(monkeypatch: pytest.MonkeyPatch) -> None:
    # Longer than a slow machine takes for all payments.
    monkeypatch.setattr(coordinator_module, "_BETWEEN_SUMS", 1.0)

    async def pay() -> tuple[int, int]:
        shared = coordinator()
        ledger = SharedBudget(shared, "one", None)
        for _ in range(20):
            ledger.pay(CALL)
            await asyncio.sleep(0.005)
        messages = shared.messages
        await asyncio.sleep(2 * coordinator_module._BETWEEN_SUMS)
        assert (await shared.spent.remote()).calls == 20
        return messages, shared.messages

    assert asyncio.run(pay()) <= (2, 4)


async def taken_within(seconds: float, takes: Sequence[Callable[[], Coroutine[Any, Any, None]]]) -> tuple[int, float]:
    """How many were done, and the seconds that really passed: more on a busy machine."""
    began = monotonic()
    tasks = [asyncio.create_task(take()) for take in takes]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    return sum(result is None for result in ended), monotonic() - began


@pytest.mark.slow
def test_workers_share_a_rate_and_reserve_in_bulk() -> None:
    async def ask() -> tuple[int, float, int]:
        settings = ModelSettings(name="m", requests_per_minute=600)
        shared = Handle(Coordinator(settings, None))
        each = [shared_limits(shared, settings).requests for _ in range(4)]
        takes = [one.take for one in each if one for _ in range(100)]
        return *await taken_within(1.0, takes), shared.messages

    calls, seconds, messages = asyncio.run(ask())
    # A twentieth at once, and 9.5 a second.
    assert 30 <= calls <= 30 + 9.5 * seconds + 1.5
    assert messages < 60 * seconds


def test_without_a_limit_no_reservations_are_made() -> None:
    limits = shared_limits(None, ModelSettings(name="m"))
    assert (limits.requests, limits.tokens) == (None, None)


def test_first_stop_reason_is_kept() -> None:
    async def stop() -> str:
        shared = coordinator()
        for why in ("the key is wrong", "12 chunks in a row"):
            await shared.stop.remote(why)
        reason: str = await shared.stopped.remote()
        return reason

    assert asyncio.run(stop()) == "the key is wrong"
