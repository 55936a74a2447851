"""The workspace of a request, its indexing jobs, and what the request may do there."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from starlette.requests import Request

from polyadic.model.types import Document, Filter
from polyadic.query.document_filter import document_filter
from polyadic.query.shown_source_names import RelativeNames, SourceNames
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

State = Literal["queued", "running", "succeeded", "partly", "failed", "cancelled"]
Outcome = Literal["added", "replaced", "unchanged"]
GOING = ("queued", "running")

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ToolJob:
    """State of a job.

    ``chunks_read`` of ``chunks`` have been read so far. ``outcome`` is None while it is unknown, and if the document
    was not published. ``problem`` says why the document, or a part of it, was not indexed.
    """

    id: str
    state: State
    chunks: int
    chunks_read: int
    outcome: Outcome | None = None
    problem: str = ""


class ToolJobs(Protocol):
    """The jobs of one workspace."""

    async def upload(self, document: Document) -> ToolJob:
        """Queue a document for indexing; waits a little, so that a short document is indexed when this returns."""

    async def job(self, identifier: str) -> ToolJob:
        """Return the state of a job; raises an error of the surrounding server if there is none."""


@dataclass(frozen=True, slots=True)
class WorkspaceAccess:
    """Access to a workspace: whether documents may be added, and the jobs that index them.

    Without jobs (None) the request that adds a document also indexes it. With ``hide_paths``, documents are named
    relative to the roots of the workspace.
    """

    workspace: Workspace
    may_write: bool
    jobs: ToolJobs | None = None
    hide_paths: bool = False

    def names(self, reader: Reader) -> SourceNames:
        """Return the names of sources that the client may see."""
        return RelativeNames.of(reader) if self.hide_paths else SourceNames()


Opened = Callable[[Request | None], AbstractAsyncContextManager[WorkspaceAccess]]
"""Opens access to a workspace while a request is answered; over standard input there is no HTTP request."""


class RunInWorkspace(Protocol):
    """Runs work on a workspace, possibly on another event loop: connections to models are bound to one loop."""

    def __call__(self, work: Coroutine[Any, Any, Found], workspace: Workspace, /) -> Awaitable[Found]: ...


async def here(work: Coroutine[Any, Any, Found], workspace: Workspace) -> Found:
    """Run the work at once on the loop that serves."""
    return await work


async def read(workspace: Workspace, work: Callable[[Reader], Found], only: Filter | None = None) -> Found:
    """Run ``work`` on the last committed state in another thread, and return its result.

    Raises
    ------
    NotFound
        The workspace does not exist yet, or no document passes the filter.
    """
    # Open on this thread: otherwise two worker threads could open it at the same time.
    store = workspace.store()

    def reading() -> Found:
        with store.read(document_filter(only)) as reader:
            return work(reader)

    return await asyncio.to_thread(reading)
