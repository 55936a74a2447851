"""Iterate over items that a task of its own produces."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")


class TaskStream(Generic[T]):
    """Items that are produced in a task of its own, which leaving the stream cancels and waits for.

    When an event loop shuts down, it closes all open generators at once; a generator that awaits another then finds it
    closing already. The loop cancels tasks before that, and a cancelled task closes its generators from the inside out.
    So leaving a stream with a plain ``break`` leaves only one generator open. For this reason the class is not written
    as a context manager from a generator, which would be another one.

    Parameters
    ----------
    produce
        Produces the items; it is passed a function that adds one. Its exception is raised after the items before it.

    Examples
    --------
    >>> async def two() -> AsyncGenerator[int, None]:
    ...     yield 1
    ...     yield 2
    >>> async def main() -> list[int]:
    ...     async with TaskStream.of(two()) as items:
    ...         return [2 * item async for item in items]
    >>> asyncio.run(main())
    [2, 4]
    """

    def __init__(self, produce: Callable[[Callable[[T], None]], Coroutine[Any, Any, None]]) -> None:
        self._produce = produce
        # Unbounded: a slow reader does not keep a connection open.
        self._queue: asyncio.Queue[T | _End] = asyncio.Queue()

    @classmethod
    def of(cls, items: AsyncGenerator[T, None]) -> Self:
        """Return the items of a generator, which runs in the task together with all generators that it awaits."""

        async def produce(put: Callable[[T], None]) -> None:
            async for item in items:
                put(item)

        return cls(produce)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        item = await self._queue.get()
        if isinstance(item, _End):
            # Raises what the producer raised.
            await self._task
            raise StopAsyncIteration
        return item

    async def _run(self) -> None:
        try:
            await self._produce(self._queue.put_nowait)
        finally:
            self._queue.put_nowait(_End())


class _End:
    """Marks the end of the items."""
