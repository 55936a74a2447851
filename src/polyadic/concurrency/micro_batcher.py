"""Coalesce items that are submitted while a batch is running."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class MicroBatcher(Generic[T]):
    """Process items in batches: those submitted while a batch is running form the next one.

    Parameters
    ----------
    process
        Processes a batch. One batch runs at a time.

    Examples
    --------
    >>> async def show(items: Sequence[int]) -> None:
    ...     print(*items)
    >>> async def main() -> None:
    ...     batcher = MicroBatcher(show)
    ...     await asyncio.gather(*map(batcher.done, range(4)))
    >>> asyncio.run(main())
    0 1 2 3
    """

    def __init__(self, process: Callable[[Sequence[T]], Coroutine[Any, Any, None]]) -> None:
        self._process = process
        self._pending: list[T] = []
        self._next: asyncio.Task[None] | None = None
        self._last: asyncio.Task[None] | None = None
        self._running = asyncio.Lock()

    def begun(self, item: T) -> "asyncio.Task[None]":
        """Add an item to the next batch and return the task of that batch; all its callers share an exception."""
        self._pending.append(item)
        if self._next is None:
            self._next = asyncio.create_task(self._run_batch())
        return self._next

    async def done(self, item: T) -> None:
        """Process an item; cancelling the caller does not cancel the batch."""
        await asyncio.shield(self.begun(item))

    async def _run_batch(self) -> None:
        async with self._running:
            items, self._pending = self._pending, []
            self._last, self._next = self._next, None
            await self._process(items)

    async def given_up(self) -> None:
        """Cancel the running and the next batch, and wait until they have ended."""
        tasks = [task for task in (self._last, self._next) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
