"""How long is waited for a server that is away, and how often it is asked again."""

import random
import time
from collections.abc import Iterator

WAITED = 30.0
"""Seconds to wait for a connection, or for a server to come back."""
_FIRST, _LONGEST = 0.05, 2.0


def pauses(seconds: float) -> Iterator[None]:
    """Try at once, then again and again after pauses that grow, until so many seconds have passed.

    No two who wait come at the same moment: each pause is drawn.

    >>> sum(1 for _ in pauses(0.0))
    1
    """
    end, pause = time.monotonic() + seconds, _FIRST
    yield
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, pause * random.uniform(0.5, 1.5)))  # noqa: S311
        pause = min(2 * pause, _LONGEST)
        yield
