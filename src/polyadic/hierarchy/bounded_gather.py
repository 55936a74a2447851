"""Having many pieces written at once, so that what is under way is never lost and nothing begins after a stop."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from polyadic.errors import ModelUnavailable
from polyadic.llm.batch_model import PendingRequest, ReplyPending

Piece = TypeVar("Piece")
Written = TypeVar("Written")


@dataclass(slots=True)
class GatherOutcomes(Generic[Written]):
    """What came of it, in the order of the pieces: None where there is nothing.

    ``awaited`` has for each piece that is asked about by file its requests. ``stopped`` says why no more were tried;
    empty where all were.
    """

    results: list[Written | None]
    awaited: list[tuple[PendingRequest, ...]] = field(default_factory=list)
    stopped: str = ""


async def gather_bounded(
    write: Callable[[Piece], Awaitable[Written]],
    pieces: Sequence[Piece],
    at_once: int,
    report_written: Callable[[], None],
    is_useless: Callable[[Written], bool],
    useless_in_a_row: int = 12,
) -> GatherOutcomes[Written]:
    """Have every piece written, so many at once.

    Where the run has to stop, pieces that are being written are written to the end: they are paid for.

    Parameters
    ----------
    write
        Writes one piece. ModelUnavailable stops the run, ReplyPending is noted.
    report_written
        Called after every piece that was written.
    is_useless
        Whether a model was paid for nothing.
    useless_in_a_row
        So many in a row are no accident, and stop the run.
    """
    outcomes: GatherOutcomes[Written] = GatherOutcomes([None] * len(pieces))
    left, useless = iter(range(len(pieces))), 0

    async def one(place: int) -> None:
        nonlocal useless
        try:
            written = await write(pieces[place])
        except ReplyPending as awaited:
            outcomes.awaited.append(awaited.requests)
        except ModelUnavailable as problem:
            # The first reason is the one to act upon: others follow from it.
            outcomes.stopped = outcomes.stopped or str(problem)
        else:
            outcomes.results[place] = written
            useless = useless + 1 if is_useless(written) else 0
            if useless >= useless_in_a_row:
                outcomes.stopped = outcomes.stopped or f"{useless} replies in a row were of no use"
            report_written()

    async def work() -> None:
        for place in left:
            await asyncio.sleep(0)  # a place to be cancelled at
            if not outcomes.stopped:
                await one(place)

    workers = [asyncio.create_task(work()) for _ in range(min(at_once, len(pieces)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return outcomes
