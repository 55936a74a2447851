"""Plain code and asynchronous work that wait for each other.

Asynchronous work runs from plain code on one private loop on a thread of its own, so the plain methods work anywhere,
also where a loop is already running (a notebook, a web server). Plain work that takes its time runs in a thread beside
the loop.
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
    """The result of a coroutine, run on the private loop; what it raises is raised here.

    Raises
    ------
    RuntimeError
        Called from within such work, which would wait for itself.

    >>> async def three() -> int:
    ...     return 3
    >>> wait_sync(three())
    3
    """
    loop = _loop()
    if threading.current_thread().name == _THREAD:
        work.close()
        raise RuntimeError("a plain method was called from within the work of another: use its asynchronous twin")
    tasks: list[asyncio.Task[T]] = []
    done = threading.Event()

    def start() -> None:
        tasks.append(loop.create_task(work))
        tasks[0].add_done_callback(lambda _: done.set())

    def stop() -> None:
        if tasks:
            tasks[0].cancel()
        else:
            # Interrupted before it was handed over: it never starts.
            work.close()
            done.set()

    try:
        loop.call_soon_threadsafe(start)
        done.wait()
    except BaseException:
        # Ctrl-C reaches the waiting thread only: what is under way must stop and clean up before anything is closed.
        # A second one has to wait as well, for the time that a batch takes.
        loop.call_soon_threadsafe(stop)
        while not done.is_set():
            with contextlib.suppress(KeyboardInterrupt):
                done.wait()
        raise
    return tasks[0].result()


def run_sync(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The plain twin of an asynchronous function: it waits for the result.

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
    """The plain twin of a function that gives an asynchronous generator."""

    @wraps(work)
    def yielding(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return iter_sync(work(*args, **kwargs))

    return yielding


def iter_sync(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """What an asynchronous generator yields, run on the private loop; left early, it is closed.

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
    """The result of plain work, done in a thread while the loop goes on; see :func:`shielded`."""
    return await shielded(asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs)))


async def shielded(under_way: "asyncio.Future[T]") -> T:
    """The result of what is under way, which comes to its end also where whoever waits for it is cancelled.

    Nothing that it works with is closed before, and what it was to keep is kept.
    """
    try:
        return await asyncio.shield(under_way)
    except asyncio.CancelledError:
        while not under_way.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([under_way])
        if not under_way.cancelled():
            under_way.exception()  # has been seen: what cancelled is told, not what came of it
        raise


class MicroBatcher(Generic[T]):
    """Has done together what is asked for one by one while the last is being done.

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
        self._coming: list[T] = []
        self._next: asyncio.Task[None] | None = None
        self._last: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    def begun(self, item: T) -> "asyncio.Task[None]":
        """What does it with all that is asked for until it begins; it raises for each what it raises for one."""
        self._coming.append(item)
        if self._next is None:
            self._next = asyncio.create_task(self._do_all())
        return self._next

    async def done(self, item: T) -> None:
        """Leave once it is done; whoever waits may be cancelled, and what is under way goes on."""
        await asyncio.shield(self.begun(item))

    async def _do_all(self) -> None:
        async with self._turn:
            items, self._coming = self._coming, []
            self._last, self._next = self._next, None
            await self._do(items)

    async def given_up(self) -> None:
        """Cancel what is under way and what is to come, and leave when they have ended."""
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
    # A child of a fork inherits the loop, but not the thread that runs it.
    os.register_at_fork(after_in_child=_started.cache_clear)
