"""Run an asynchronous generator in a task of its own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class TaskIsolatedStream(Generic[T]):
    """The items of an asynchronous generator that runs in its own task, with all generators it awaits.

    When an event loop shuts down, it closes all open generators at once; a generator that awaits another then finds it
    closing already. The loop cancels tasks before that, and a cancelled task closes its generators from the inside out.
    So leaving a stream with a plain ``break`` leaves only one generator open. For this reason the class is not written
    as a context manager from a generator, which would be another one.

    >>> async def two() -> AsyncGenerator[int, None]:
    ...     yield 1
    ...     yield 2
    >>> async def doubled() -> list[int]:
    ...     async with TaskIsolatedStream(two()) as items:
    ...         return [2 * item async for item in items]
    >>> asyncio.run(doubled())
    [2, 4]
    """

    def __init__(self, items: AsyncGenerator[T, None]) -> None:
        self._items = items
        # Unbounded: a slow reader does not keep a connection open.
        self._queue: asyncio.Queue[T | None] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._produce())
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
        if item is None:
            # Raises what the generator raised.
            await self._task
            raise StopAsyncIteration
        return item

    async def _produce(self) -> None:
        try:
            async for item in self._items:
                self._queue.put_nowait(item)
        finally:
            self._queue.put_nowait(None)
