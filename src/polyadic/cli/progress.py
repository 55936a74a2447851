"""How far long work has come: live on a terminal, a plain line now and then in a log; both on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from polyadic.cli.common import say

_LOG_SECONDS = 5.0
How = TypeVar("How")


@contextmanager
def shown_live(first: str, line: Callable[[How], str]) -> Iterator[Callable[[How], None]]:
    """Gives what is to be called with how far the work has come.

    Parameters
    ----------
    first
        What is shown before it was first called.
    line
        Puts how far it has come into words.
    """
    if not sys.stderr.isatty():
        yield _logger(line)
        return
    from rich.console import Console
    from rich.status import Status

    with Status(first, console=Console(stderr=True)) as status:
        yield lambda how: status.update(line(how))


def _logger(line: Callable[[How], str]) -> Callable[[How], None]:
    last = time.monotonic()

    def log(how: How) -> None:
        nonlocal last
        if time.monotonic() - last >= _LOG_SECONDS:
            last = time.monotonic()
            say(line(how), err=True)

    return log
