"""Run model calls with bounded concurrency; after a stop, no new call starts, and calls in progress complete."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from polyadic.concurrency.task_group import task_group
from polyadic.errors import ModelUnavailable

Item = TypeVar("Item")
Result = TypeVar("Result")


class BoundedRunner:
    """Runs asynchronous calls, at most ``at_once`` of them at the same time, in the order of submission.

    The calls are paid for, so those in progress complete after :meth:`stop` and after a ``ModelUnavailable``, which
    stops the run. Any other exception, and cancelling the caller, cancels them. To cancel the calls at every
    error, use :func:`polyadic.concurrency.task_group.task_group`.

    Parameters
    ----------
    at_once
        Maximum number of calls in progress, over all callers of :meth:`map`.

    Attributes
    ----------
    stopped : str
        Why no further call begins; empty while calls may begin.
    unavailable : ModelUnavailable or None
        The first such error of a call.
    left : int
        Number of submitted items whose call has not begun.

    Examples
    --------
    >>> async def double(number: int) -> int:
    ...     return 2 * number
    >>> asyncio.run(BoundedRunner(at_once=2).map(double, [1, 2, 3]))
    [2, 4, 6]
    """

    def __init__(self, at_once: int) -> None:
        self.stopped = ""
        self.unavailable: ModelUnavailable | None = None
        self.left = 0
        self._slots = asyncio.Semaphore(at_once)
        self._submitting = asyncio.Lock()

    def stop(self, why: str) -> None:
        """Begin no further calls; the first reason is kept, because later ones are usually consequences of it."""
        self.stopped = self.stopped or why

    async def map(self, call: Callable[[Item], Awaitable[Result]], items: Sequence[Item]) -> list[Result | None]:
        """Call a function with each item and wait until all calls have ended.

        Parameters
        ----------
        call
            Called with an item, in a task with the context of the caller.
        items
            If several callers submit items at the same time, those of the first begin before those of the next.

        Returns
        -------
        list
            Results in the order of the items; None where no call began or the model was unavailable.

        Raises
        ------
        Exception
            The first exception of a call other than ModelUnavailable. It also stops the run.
        """
        started: list[asyncio.Task[Result | None]] = []
        waiting = len(items)
        self.left += waiting
        try:
            async with task_group() as tasks, self._submitting:
                for item in items:
                    await self._slots.acquire()
                    if self.stopped:
                        self._slots.release()
                        break
                    started.append(tasks.create_task(self._run(call, item)))
                    # A callback, because a task that is cancelled before its first step runs no code.
                    started[-1].add_done_callback(lambda _: self._slots.release())
                    waiting -= 1
                    self.left -= 1
        finally:
            self.left -= waiting
        return [task.result() for task in started] + [None] * waiting

    async def _run(self, call: Callable[[Item], Awaitable[Result]], item: Item) -> Result | None:
        try:
            return await call(item)
        except ModelUnavailable as problem:
            self.unavailable = self.unavailable or problem
            self.stop(str(problem))
            return None
        except Exception as error:
            self.stop(repr(error))
            raise
