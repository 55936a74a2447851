"""An event loop in a thread of its own: run coroutines on it from blocking code and from other event loops."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import aclosing
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from polyadic.concurrency.run_in_thread import wait_uncancelled
from polyadic.concurrency.task_stream import TaskStream

T = TypeVar("T")


class EventLoopThread:
    """Runs coroutines on its own event loop for callers in other threads.

    A caller that is interrupted or cancelled cancels its coroutine, and waits until that has cleaned up.

    Parameters
    ----------
    name
        Name of the thread.

    Examples
    --------
    >>> async def three() -> int:
    ...     return 3
    >>> async def main() -> int:
    ...     async with EventLoopThread("example") as loop:
    ...         return await loop.run(three())
    >>> asyncio.run(main())
    3
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def start(self) -> None:
        """Start the thread; it ends with the process, or when the context manager exits."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
        self._thread.start()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.run(_end_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()

    def run_blocking(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and block until it has ended; return its result.

        Raises
        ------
        RuntimeError
            Called from the loop itself, which would deadlock.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a synchronous method was called from asynchronous work: use the asynchronous method")
        task = _RemoteTask(work, self._loop)
        try:
            self._loop.call_soon_threadsafe(task.start)
            task.ended.result()
        except BaseException:
            # Ctrl-C reaches the waiting thread only. Running work must stop and clean up before anything is closed, so
            # a second Ctrl-C has to wait as well, for the duration of a batch.
            self._loop.call_soon_threadsafe(task.cancel)
            while not task.ended.done():
                with contextlib.suppress(KeyboardInterrupt):
                    task.ended.result()
            raise
        return task.result()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine for a caller on another loop and return its result."""
        task = _RemoteTask(work, self._loop)
        ended = asyncio.wrap_future(task.ended)
        self._loop.call_soon_threadsafe(task.start)
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            self._loop.call_soon_threadsafe(task.cancel)
            await wait_uncancelled(ended)
            raise
        return task.result()

    async def stream(self, make: Callable[[Callable[[T], None]], AsyncGenerator[T, None]]) -> AsyncGenerator[T, None]:
        """Iterate over a generator that runs on the loop; closing this one early closes the generator.

        Parameters
        ----------
        make
            Makes the generator. It is passed a function that adds items at any time, also between two yields.
        """
        here = asyncio.get_running_loop()

        async def produce(put: Callable[[T], None]) -> None:
            def put_there(item: T) -> None:
                _call_soon(here, partial(put, item))

            await self.run(_put_all(make(put_there), put_there))

        async with TaskStream(produce) as items:
            async for item in items:
                yield item


class _RemoteTask(Generic[T]):
    """A task of another thread's loop; ``ended`` is done once the task has ended, however it ended."""

    def __init__(self, work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        self.ended: Future[None] = Future()
        # So that no waiter can cancel it: the task decides when it has ended.
        self.ended.set_running_or_notify_cancel()
        self._work = work
        self._loop = loop
        self._task: asyncio.Task[T] | None = None

    def start(self) -> None:
        """Create the task; called on its loop."""
        self._task = self._loop.create_task(self._work)
        self._task.add_done_callback(lambda _: self.ended.set_result(None))

    def cancel(self) -> None:
        """Cancel the task; called on its loop."""
        if self._task is not None:
            self._task.cancel()
        else:
            # Interrupted before the loop received it: it never starts.
            self._work.close()
            self.ended.set_result(None)

    def result(self) -> T:
        """Return the result of the ended task, or raise its exception."""
        assert self._task is not None  # noqa: S101 - it has ended, so it was started
        return self._task.result()


async def _put_all(items: AsyncGenerator[T, None], put: Callable[[T], None]) -> None:
    async with aclosing(items):
        async for item in items:
            put(item)


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
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
