"""Doing again what was lost in the middle, as nothing of it was done."""

import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from polyadic.errors import StoreInterrupted

P = ParamSpec("P")
T = TypeVar("T")
_TIMES, _PAUSE = 5, 0.1


def with_retries(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """The result of work that is one change of a store, or several of which each may be made again.

    Raises
    ------
    StoreInterrupted
        It was lost again and again.

    >>> with_retries(max, 1, 2)
    2
    """
    for number in range(_TIMES - 1):
        try:
            return work(*arguments, **named)
        except StoreInterrupted:
            # Those who stood in each other's way do not come back at the same moment.
            time.sleep(_PAUSE * 2**number * random.uniform(0.5, 1.5))  # noqa: S311
    return work(*arguments, **named)
