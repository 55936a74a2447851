"""Run asynchronous code from synchronous code, and the reverse.

Asynchronous work runs on one private event loop in its own thread, so synchronous methods work anywhere, also where an
event loop is already running (a notebook, a web server). Slow synchronous work runs in a thread beside the event loop.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from functools import cache, wraps
from typing import Any, Generic, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


def wait_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the private event loop and return its result; its exceptions are raised here.

    Raises
    ------
    RuntimeError
        Called from the private loop itself, which would deadlock.

    >>> async def three() -> int:
    ...     return 3
    >>> wait_sync(three())
    3
    """
    loop = _loop()
    if threading.current_thread().name == _THREAD:
        work.close()
        raise RuntimeError("a synchronous method was called from asynchronous work: use the asynchronous method")
    tasks: list[asyncio.Task[T]] = []
    done = threading.Event()

    def start() -> None:
        tasks.append(loop.create_task(work))
        tasks[0].add_done_callback(lambda _: done.set())

    def stop() -> None:
        if tasks:
            tasks[0].cancel()
        else:
            # Interrupted before the loop received it: it never starts.
            work.close()
            done.set()

    try:
        loop.call_soon_threadsafe(start)
        done.wait()
    except BaseException:
        # Ctrl-C reaches the waiting thread only. Running work must stop and clean up before anything is closed, so a
        # second Ctrl-C has to wait as well, for the duration of a batch.
        loop.call_soon_threadsafe(stop)
        while not done.is_set():
            with contextlib.suppress(KeyboardInterrupt):
                done.wait()
        raise
    return tasks[0].result()


def run_sync(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Turn an asynchronous function into a synchronous one that waits for the result.

    >>> async def double(number: int) -> int:
    ...     return 2 * number
    >>> run_sync(double)(21)
    42
    """

    @wraps(work)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        return wait_sync(work(*args, **kwargs))

    return waiting


def sync_iter(work: Callable[P, AsyncGenerator[T, None]]) -> Callable[P, Iterator[T]]:
    """Turn a function that returns an asynchronous generator into one that returns an iterator."""

    @wraps(work)
    def yielding(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return iter_sync(work(*args, **kwargs))

    return yielding


def iter_sync(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """Iterate over an asynchronous generator that runs on the private loop; closed if iteration stops early.

    >>> async def two() -> AsyncGenerator[int, None]:
    ...     yield 1
    ...     yield 2
    >>> list(iter_sync(two()))
    [1, 2]
    """
    try:
        while True:
            try:
                yield wait_sync(_next(items))
            except StopAsyncIteration:
                return
    finally:
        wait_sync(items.aclose())


async def _next(items: AsyncGenerator[T, None]) -> T:
    return await anext(items)


async def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run synchronous work in a thread and return its result; see :func:`shielded`."""
    return await shielded(asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs)))


async def shielded(under_way: "asyncio.Future[T]") -> T:
    """Wait for a future to complete even if the caller is cancelled; cancellation is raised afterwards.

    So nothing that the work uses is closed while it runs, and its results are stored.
    """
    try:
        return await asyncio.shield(under_way)
    except asyncio.CancelledError:
        while not under_way.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([under_way])
        if not under_way.cancelled():
            under_way.exception()  # mark as retrieved: the caller gets the cancellation instead
        raise


class MicroBatcher(Generic[T]):
    """Coalesce items submitted while a batch is running.

    >>> async def show(items: Sequence[int]) -> None:
    ...     print(*items)
    >>> async def four() -> None:
    ...     together = MicroBatcher(show)
    ...     await asyncio.gather(*map(together.done, range(4)))
    >>> asyncio.run(four())
    0 1 2 3
    """

    def __init__(self, do: Callable[[Sequence[T]], Coroutine[Any, Any, None]]) -> None:
        self._do = do
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
            await self._do(items)

    async def given_up(self) -> None:
        """Cancel the running and the next batch, and wait until they have ended."""
        tasks = [task for task in (self._last, self._next) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_THREAD = "polyadic"
_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=_THREAD, daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):
    # A forked child inherits the loop, but not the thread that runs it.
    os.register_at_fork(after_in_child=_started.cache_clear)
