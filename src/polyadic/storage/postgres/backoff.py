"""Retry with exponential backoff for a server that is away."""

import random
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import psycopg

from polyadic.storage.postgres.errors import is_lost

T = TypeVar("T")
WAITED = 30.0
"""Seconds to wait for a connection, or for a server to come back."""
_FIRST, _LONGEST = 0.05, 2.0


def pauses(seconds: float | None = None) -> Iterator[None]:
    """Yield at once, then after growing pauses, until ``seconds`` (None: WAITED) have passed.

    Pauses have random jitter, so that waiting clients do not retry at the same moment.

    >>> sum(1 for _ in pauses(0.0))
    1
    """
    end, pause = time.monotonic() + (WAITED if seconds is None else seconds), _FIRST
    yield
    while (remaining := end - time.monotonic()) > 0:
        time.sleep(min(remaining, pause * random.uniform(0.5, 1.5)))  # noqa: S311
        pause = min(2 * pause, _LONGEST)
        yield


def retried(work: Callable[[], T], reconnect: Callable[[], None] = lambda: None) -> T:
    """Do work, and if its connection is lost, reconnect and do it again; give up after growing pauses."""
    for attempt, _ in enumerate(pauses()):
        try:
            if attempt:
                reconnect()
            return work()
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            lost = error
    raise lost
