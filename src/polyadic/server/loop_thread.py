"""An event loop in its own thread, on which workspaces run.

Graph search computes for some milliseconds at a stretch. In its own thread it does not block other requests, and all
questions share the connections to models, which are bound to one loop.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines on its own loop for callers on other loops.

    >>> async def three() -> int:
    ...     return 3
    >>> async def asked() -> int:
    ...     async with LoopThread() as work:
    ...         return await work.run(three())
    >>> asyncio.run(asked())
    3
    """

    async def __aenter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="polyadic-work", daemon=True)
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.run(_end_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result.

        If the caller is cancelled, the coroutine is cancelled and has cleaned up when this raises.
        """
        here, done = asyncio.get_running_loop(), asyncio.Event()
        tasks: list[asyncio.Task[T]] = []

        def start() -> None:
            tasks.append(self._loop.create_task(work))
            tasks[0].add_done_callback(lambda _: _soon(here, done.set))

        def stop() -> None:
            tasks[0].cancel()

        self._loop.call_soon_threadsafe(start)
        try:
            await done.wait()
        except asyncio.CancelledError:
            self._loop.call_soon_threadsafe(stop)
            await done.wait()
            raise
        return tasks[0].result()

    async def each(self, make: Callable[[Callable[[T], None]], AsyncGenerator[T, None]]) -> AsyncGenerator[T, None]:
        """Iterate over a generator that runs on the loop; closing this one early closes the generator.

        Parameters
        ----------
        make
            Makes the generator. It is passed a function that adds items at any time, also between two yields.
        """
        here = asyncio.get_running_loop()
        items: asyncio.Queue[T | _End] = asyncio.Queue()

        def put(item: T | _End) -> None:
            _soon(here, lambda: items.put_nowait(item))

        producer = asyncio.create_task(self.run(_fill(make(put), put)))
        try:
            while not isinstance(item := await items.get(), _End):
                yield item
            # Raises what the generator raised.
            await producer
        finally:
            producer.cancel()
            await asyncio.wait([producer])


class _End:
    """Marks the end of the items."""


async def _fill(items: AsyncGenerator[T, None], put: Callable[[T | _End], None]) -> None:
    try:
        async with aclosing(items):
            async for item in items:
                put(item)
    finally:
        put(_End())


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """Schedule a call on a loop; if the loop is closed, no one waits for it."""
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        if not loop.is_closed():
            raise


async def _end_all() -> None:
    """Cancel all other tasks of this loop, and wait until they have cleaned up."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
