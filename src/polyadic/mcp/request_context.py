"""Which workspace a request is about, and what it may do there."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from starlette.requests import Request

from polyadic.mcp.jobs import ToolJobs
from polyadic.model.types import Filter
from polyadic.query.document_filter import filter_documents
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class WorkspaceAccess:
    """A workspace, whether documents may be added to it, and the jobs that read them; None: a request reads itself."""

    workspace: Workspace
    may_write: bool
    jobs: ToolJobs | None = None


Opened = Callable[[Request | None], AbstractAsyncContextManager[WorkspaceAccess]]
"""Gives access for as long as one request is answered; over standard input there is no HTTP request."""


class RunInWorkspace(Protocol):
    """Runs what is done with a workspace, perhaps on another loop: connections to models belong to one."""

    def __call__(self, work: Coroutine[Any, Any, Found], workspace: Workspace, /) -> Awaitable[Found]: ...


async def here(work: Coroutine[Any, Any, Found], workspace: Workspace) -> Found:
    """On the loop that serves, at once."""
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
    heard = None if only is None else partial(filter_documents, only=only)

    def reading() -> Found:
        with store.read(heard) as reader:
            return work(reader)

    return await asyncio.to_thread(reading)
