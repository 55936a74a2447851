"""Which workspace a request is about, and what it may do there."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from starlette.requests import Request

from polyadic.knowledge import Filter
from polyadic.selection import selected
from polyadic.store.protocol import Reader
from polyadic.workspace import Workspace

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Access:
    """A workspace, and whether documents may be added to it."""

    workspace: Workspace
    may_write: bool


Opened = Callable[[Request | None], AbstractAsyncContextManager[Access]]
"""Gives access for as long as one request is answered; over standard input there is no HTTP request."""


class Run(Protocol):
    """Runs what is done with a workspace, perhaps on another loop: connections to models belong to one."""

    def __call__(self, work: Coroutine[Any, Any, Found], /) -> Awaitable[Found]: ...


async def here(work: Coroutine[Any, Any, Found]) -> Found:
    """On the loop that serves."""
    return await work


async def read(workspace: Workspace, work: Callable[[Reader], Found], only: Filter | None = None) -> Found:
    """What ``work`` makes of the last committed state, computed on another thread.

    Raises
    ------
    NotFound
        There is no workspace yet, or the filter leaves no document.
    """
    # Opened on this thread: two others could otherwise open it at once.
    store = workspace.store()
    heard = None if only is None else partial(selected, only=only)

    def reading() -> Found:
        with store.read(heard) as reader:
            return work(reader)

    return await asyncio.to_thread(reading)
