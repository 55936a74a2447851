"""A budget is never exceeded, and used as far as it surely goes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.errors import ModelUnavailable, SettingsError
from polyadic.llm.budget import BudgetLedger, SpendingBudget
from polyadic.model.types import Document, Usage
from tests.model_server import ModelServer, Refusal, Status, ready
from tests.support.with_a_model import SMALL, export, story, workspace

LETTERS = [Document(f"memory:{n}", f"Letters {n}", story(n, 4)) for n in range(12)]


@given(
    st.integers(0, 2000), st.lists(st.tuples(st.integers(1, 300), st.integers(1, 300)), max_size=20), st.integers(1, 6)
)
def test_concurrent_calls_never_exceed_the_budget(tokens: int, calls: list[tuple[int, int]], at_once: int) -> None:
    async def run() -> Usage:
        ledger, gate = BudgetLedger(SpendingBudget(tokens=tokens)), asyncio.Semaphore(at_once)

        async def call(most: int, share: int) -> None:
            async with gate, ledger.room_for(Usage(1, most, 0)):
                await asyncio.sleep(0)
                ledger.pay(Usage(1, min(most, share), 0))

        await asyncio.gather(*(call(*one) for one in calls), return_exceptions=True)
        return ledger.spent

    assert asyncio.run(run()).tokens <= tokens


def test_unused_reservation_is_released() -> None:
    async def run() -> int:
        ledger = BudgetLedger(SpendingBudget(tokens=100))

        async def call() -> None:
            async with ledger.room_for(Usage(1, 60, 0)):
                await asyncio.sleep(0)
                ledger.pay(Usage(1, 10, 0))

        await asyncio.gather(*(call() for _ in range(4)))
        with pytest.raises(ModelUnavailable, match="no room for another call"):
            async with ledger.room_for(Usage(1, 61, 0)):
                pass
        return ledger.spent.tokens

    assert asyncio.run(run()) == 40


@pytest.mark.parametrize("at_once", [1, 8])
def test_run_stops_before_its_budget_and_resumes(tmp_path: Path, at_once: int) -> None:
    given_settings: dict[str, Any] = {
        "chunking": SMALL,
        "at_once": at_once,
        "output_tokens": 500,
        "prompt_price": 1.0,
        "completion_price": 2.0,
    }
    with ModelServer(ready()) as server, workspace(tmp_path / "whole", server, **given_settings) as kb:
        kb.add(LETTERS)
        whole, calls, all_tokens = export(kb), len(server.calls), server.prompt_tokens + server.completion_tokens
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, **given_settings) as kb:
        report = kb.add(LETTERS, budget=SpendingBudget(tokens=all_tokens // 2))
        assert "no room for another call" in report.stopped
        assert 0 < report.usage.tokens == server.prompt_tokens + server.completion_tokens <= all_tokens // 2
        assert "budget of $0.0001" in kb.add(LETTERS, budget=SpendingBudget(money=0.0001)).stopped
        assert not kb.add(LETTERS).stopped
        assert (len(server.calls), export(kb)) == (calls, whole)


def test_money_budget_needs_prices(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server) as kb:
        with pytest.raises(SettingsError, match="needs prices"):
            kb.add(LETTERS, budget=SpendingBudget(money=5.0))
        assert not server.calls


@pytest.mark.slow
@pytest.mark.parametrize("budget", [SpendingBudget(tokens=6000), SpendingBudget(money=0.007)], ids=["tokens", "money"])
@pytest.mark.parametrize("at_once", [1, 8])
def test_budget_holds_despite_faults_and_nothing_is_paid_twice(
    tmp_path: Path, at_once: int, budget: SpendingBudget
) -> None:
    values: dict[str, Any] = {"output_tokens": 500, "prompt_price": 1.0, "completion_price": 2.0, "retries": 3}
    with (
        ModelServer(ready(), delay=0.01) as server,
        workspace(tmp_path, server, chunking=SMALL, at_once=at_once, **values) as kb,
    ):
        # Some calls are made again by the client, some bring what is of no use and is paid all the same.
        server.misbehave(Status(500, headers={"retry-after-ms": "5"}), on=range(3, 1000, 5))
        server.misbehave(Refusal(), on=range(4, 1000, 9))
        runs = 0
        paid_before = 0
        stopped = "at the start"
        while stopped:
            report = kb.add(LETTERS, budget=budget)
            stopped, runs = report.stopped, runs + 1
            paid = [call for call in server.calls if call.status == 200][paid_before:]
            paid_before += len(paid)
            sent, received = sum(c.prompt_tokens for c in paid), sum(c.completion_tokens for c in paid)
            assert (report.usage.calls, report.usage.tokens) == (len(paid), sent + received)
            assert report.usage.money == pytest.approx((sent + 2 * received) / 1e6)
            assert budget.allows(Usage(), report.usage)
            assert "no room for another call" in stopped or not stopped
            assert runs < 20
        assert runs > 2 and len(kb.documents()) == len(LETTERS)
        whole = kb.ledger()
        good = [call.asked.text for call in server.calls if call.status == 200 and call.text]
        assert len(good) == len(set(good)), "a reply was paid for twice"
        assert len(whole.calls) == paid_before
