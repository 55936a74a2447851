"""What an asynchronous generator yields, made by a task of its own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class TaskIsolatedStream(Generic[T]):
    """The items of a generator that, with all generators it waits for, lives in a task of its own.

    A loop that ends closes all generators still open at once, and one that waits for another then finds it closing
    already. A task it cancels, before that, and what is cancelled closes from the inside out. So somebody who leaves
    a stream with a plain ``break`` leaves one generator open and no more. This is a class for that reason: a context
    manager out of a generator would be another one.

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
        # Unbounded: whoever reads slowly does not keep a connection open.
        self._made: asyncio.Queue[T | None] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._make())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        item = await self._made.get()
        if item is None:
            # Raises what the generator raised.
            await self._task
            raise StopAsyncIteration
        return item

    async def _make(self) -> None:
        try:
            async for item in self._items:
                self._made.put_nowait(item)
        finally:
            self._made.put_nowait(None)
