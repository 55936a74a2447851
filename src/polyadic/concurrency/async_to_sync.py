"""Run coroutines from synchronous code, also where an event loop is already running (a notebook, a web server).

They run on one event loop in a thread of its own, which is started by the first call and shared by all.
"""

import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from polyadic.concurrency.event_loop_thread import EventLoopThread

T = TypeVar("T")
P = ParamSpec("P")


def run_coroutine(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return its result.

    Parameters
    ----------
    work
        The coroutine. Ctrl-C cancels it, and is raised here once the coroutine has cleaned up.

    Raises
    ------
    RuntimeError
        Called from a coroutine that is run in this way, which would deadlock.

    Examples
    --------
    >>> async def three() -> int:
    ...     return 3
    >>> run_coroutine(three())
    3
    """
    return _shared_loop().run_blocking(work)


def async_to_sync(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Turn an asynchronous function into a synchronous one; see :func:`run_coroutine`.

    Examples
    --------
    >>> async def double(number: int) -> int:
    ...     return 2 * number
    >>> async_to_sync(double)(21)
    42
    """

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_coroutine(function(*args, **kwargs))

    return waiting


def async_iter_to_sync(function: Callable[P, AsyncGenerator[T, None]]) -> Callable[P, Iterator[T]]:
    """Turn an asynchronous generator function into a synchronous one.

    The asynchronous generator is closed if the iteration ends early.

    Examples
    --------
    >>> async def count(to: int) -> AsyncGenerator[int, None]:
    ...     for number in range(to):
    ...         yield number
    >>> list(async_iter_to_sync(count)(3))
    [0, 1, 2]
    """

    @wraps(function)
    def yielding(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        items = function(*args, **kwargs)
        try:
            while True:
                try:
                    yield run_coroutine(_next(items))
                except StopAsyncIteration:
                    return
        finally:
            run_coroutine(items.aclose())

    return yielding


async def _next(items: AsyncGenerator[T, None]) -> T:
    return await anext(items)


_starting = threading.Lock()


def _shared_loop() -> EventLoopThread:
    with _starting:
        return _started()


@cache
def _started() -> EventLoopThread:
    loop = EventLoopThread("polyadic")
    loop.start()
    return loop


if hasattr(os, "register_at_fork"):
    # A forked child inherits the loop, but not the thread that runs it.
    os.register_at_fork(after_in_child=_started.cache_clear)
