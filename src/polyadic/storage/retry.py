"""Retry with backoff after lost transactions, of which nothing was committed."""

import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from polyadic.errors import StoreInterrupted

P = ParamSpec("P")
T = TypeVar("T")
_ATTEMPTS, _BASE_DELAY = 5, 0.1


def with_retries(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run a store operation, and retry it with exponential backoff if its connection or transaction is lost.

    The operation must be one transaction, or several that can each be repeated.

    Raises
    ------
    StoreInterrupted
        Every attempt was lost.

    >>> with_retries(max, 1, 2)
    2
    """
    for attempt in range(_ATTEMPTS - 1):
        try:
            return work(*arguments, **named)
        except StoreInterrupted:
            # Random jitter, so that conflicting transactions do not collide again.
            time.sleep(_BASE_DELAY * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311
    return work(*arguments, **named)
