"""Items that are submitted while a batch is running are processed together."""

import asyncio
from collections.abc import Sequence

from polyadic.concurrency.micro_batcher import MicroBatcher


def test_items_submitted_meanwhile_form_one_batch_and_its_errors_reach_its_callers_only() -> None:
    done: list[list[int]] = []

    async def do(items: Sequence[int]) -> None:
        done.append([*items])
        await asyncio.sleep(0.01)
        if 3 in items:
            raise ValueError("on purpose")

    async def asked() -> list[BaseException | None]:
        batcher = MicroBatcher(do)
        first = asyncio.create_task(batcher.done(0))
        await asyncio.sleep(0.005)
        others = [asyncio.create_task(batcher.done(n)) for n in (1, 2, 3)]
        await asyncio.sleep(0)
        others[0].cancel()
        return await asyncio.gather(first, *others, return_exceptions=True)

    outcomes = asyncio.run(asked())
    assert done == [[0], [1, 2, 3]]
    assert [type(outcome) for outcome in outcomes] == [type(None), asyncio.CancelledError, ValueError, ValueError]
