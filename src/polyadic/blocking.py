"""Run asynchronous work from plain code: one private loop on a thread of its own.

So the plain methods work anywhere, also where a loop is already running (a notebook, a web server).
"""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, run on the private loop; what it raises is raised here.

    >>> async def three() -> int:
    ...     return 3
    >>> wait_for(three())
    3
    """
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        # Ctrl-C reaches the waiting thread only: what is under way must stop as well, and clean up.
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="polyadic", daemon=True).start()
    return loop
