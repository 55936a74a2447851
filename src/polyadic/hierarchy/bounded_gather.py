"""Run many model calls with bounded concurrency; after a stop, calls in progress complete and no new ones start."""

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
    """Outcomes of a gather.

    Parameters
    ----------
    results
        Results in the order of the pieces; None for a piece without one.
    pending
        Requests of each piece that waits for a batch file.
    stopped
        Why the run stopped early; empty if all pieces were tried.
    """

    results: list[Written | None]
    pending: list[tuple[PendingRequest, ...]] = field(default_factory=list)
    stopped: str = ""


async def gather_bounded(
    write: Callable[[Piece], Awaitable[Written]],
    pieces: Sequence[Piece],
    at_once: int,
    report_written: Callable[[], None],
    is_useless: Callable[[Written], bool],
    useless_in_a_row: int = 12,
) -> GatherOutcomes[Written]:
    """Write every piece, ``at_once`` of them concurrently.

    If the run has to stop, pieces in progress are completed, because they have been paid for.

    Parameters
    ----------
    write
        Writes one piece. ModelUnavailable stops the run; the requests of ReplyPending go into ``pending``.
    report_written
        Called after every piece.
    is_useless
        Whether a reply could not be used.
    useless_in_a_row
        Number of consecutive unusable replies that stops the run.
    """
    outcomes: GatherOutcomes[Written] = GatherOutcomes([None] * len(pieces))
    pending, useless = iter(range(len(pieces))), 0

    async def one(place: int) -> None:
        nonlocal useless
        try:
            written = await write(pieces[place])
        except ReplyPending as pending:
            outcomes.pending.append(pending.requests)
        except ModelUnavailable as problem:
            # Keep the first reason: later ones follow from it.
            outcomes.stopped = outcomes.stopped or str(problem)
        else:
            outcomes.results[place] = written
            useless = useless + 1 if is_useless(written) else 0
            if useless >= useless_in_a_row:
                outcomes.stopped = outcomes.stopped or f"{useless} replies in a row could not be used"
            report_written()

    async def work() -> None:
        for place in pending:
            await asyncio.sleep(0)  # allow cancellation
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
