"""Run blocking work in a thread from a coroutine, without abandoning it when the coroutine is cancelled."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


async def run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread and return its result.

    A caller that is cancelled waits for the work nevertheless, so that nothing is closed while the work uses it.
    ``asyncio.to_thread`` returns at once and leaves the thread behind, which is right for pure computation.

    Examples
    --------
    >>> asyncio.run(run_in_thread(sum, [1, 2]))
    3
    """
    return await shielded(asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs)))


async def run_until_cancelled(
    on_cancel: Callable[[], object], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run blocking work in a thread as :func:`run_in_thread`; if the caller is cancelled, ``on_cancel`` ends it early.

    Examples
    --------
    >>> asyncio.run(run_until_cancelled(lambda: None, sum, [1, 2]))
    3
    """
    return await shielded(asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs)), on_cancel)


async def shielded(under_way: "asyncio.Future[T]", on_cancel: Callable[[], object] = lambda: None) -> T:
    """Wait for a future to complete even if the caller is cancelled; the cancellation is raised afterwards.

    So nothing that the work uses is closed while it runs, and its results are stored. ``on_cancel`` is called first.

    Examples
    --------
    >>> async def main() -> str:
    ...     return await shielded(asyncio.create_task(asyncio.sleep(0, "stored")))
    >>> asyncio.run(main())
    'stored'
    """
    try:
        return await asyncio.shield(under_way)
    except asyncio.CancelledError:
        on_cancel()
        await wait_uncancelled(under_way)
        if not under_way.cancelled():
            under_way.exception()  # mark as retrieved: the caller gets the cancellation instead
        raise


async def wait_uncancelled(under_way: "asyncio.Future[Any]") -> None:
    """Wait until a future is done; cancellations of the caller are discarded, so only a cancelled caller may use it."""
    while not under_way.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([under_way])
