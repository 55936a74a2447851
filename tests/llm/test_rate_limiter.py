"""So much in any minute, and no more; here minutes are short."""

import asyncio
from itertools import pairwise
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.llm.rate_limiter import RateLimiter, per_minute

SHORT = 0.2


async def _taken(most: int, amounts: list[int]) -> list[tuple[float, int]]:
    """When each of these was taken, all being asked for at once."""
    allowance, taken = RateLimiter(most, SHORT), list[tuple[float, int]]()

    async def take(amount: int) -> None:
        await allowance.take(amount)
        taken.append((monotonic(), amount))

    await asyncio.gather(*(take(amount) for amount in amounts))
    return taken


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(2, 200), st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_no_window_exceeds_the_limit(most: int, amounts: list[int]) -> None:
    amounts = [min(amount, most) for amount in amounts]
    taken = asyncio.run(_taken(most, amounts))
    assert [amount for _, amount in taken] == amounts
    first = taken[0][0]
    # What is taken late may come close to what is taken in time, so it is the whole that is looked at.
    assert sum(amounts) - amounts[0] <= most * ((taken[-1][0] - first) / SHORT + 1.01)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 3])
def test_small_limits_serialize_requests(most: int) -> None:
    taken = asyncio.run(_taken(most, [1, 1, 1]))
    gaps = [later[0] - earlier[0] for earlier, later in pairwise(taken)]
    assert min(gaps) >= SHORT / most - 0.02


def test_request_above_the_limit_waits_for_a_full_window() -> None:
    started = monotonic()
    asyncio.run(_taken(100, [100_000]))
    assert SHORT * 0.9 <= monotonic() - started < SHORT * 100


def test_zero_means_no_limit() -> None:
    assert per_minute(0) is None and per_minute(3) is not None
