"""State shared by all routes of a server, and its lifecycle."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from polyadic.concurrency.event_loop_thread import EventLoopThread
from polyadic.errors import StoreError
from polyadic.server.admission import AdmissionController
from polyadic.server.api_keys import KeyRing
from polyadic.server.jobs.job import JobState
from polyadic.server.jobs.queue import JobQueue
from polyadic.server.metrics import ServerMetrics
from polyadic.server.server_limits import ServerLimits
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.server.watched_folders import FolderWatching, WatchedFolder
from polyadic.server.workspace_registry import WorkspaceRegistry
from polyadic.workspace import Workspace

P = ParamSpec("P")
T = TypeVar("T")


class ServerState:
    """A server over the workspaces of a tenant backend.

    Parameters
    ----------
    tenants
        Tenant backend that holds the workspaces; closed when the service has run.
    keys
        API keys; None gives everyone full access, which is allowed for this machine only.
    limits
        Limits on requests and jobs.
    allowed_origins
        Origins of other web pages that may send requests, such as ``https://app.example``.
    watched
        Folders to watch.

    Raises
    ------
    PackageMissing
        There are folders to watch, and the extra ``watch`` is not installed.
    """

    def __init__(
        self,
        tenants: TenantBackend,
        keys: KeyRing | None,
        limits: ServerLimits | None = None,
        allowed_origins: Collection[str] = (),
        watched: Sequence[WatchedFolder] = (),
    ) -> None:
        self.tenants = tenants
        self.allowed_origins = frozenset(allowed_origins)
        self.limits = limits or ServerLimits()
        self.keys = keys
        self.work = EventLoopThread("polyadic-workspaces")
        self.workspaces = WorkspaceRegistry(tenants, self.work, self.limits)
        self.turns = AdmissionController(self.limits)
        # A health check reads all evidence, so only one runs at a time.
        self.checks = asyncio.Semaphore(1)
        # Ids of jobs whose requests are being received.
        self.accepting: set[str] = set()
        self.renderings = asyncio.Semaphore(self.limits.pages_at_once)
        self.uploads = asyncio.Semaphore(self.limits.uploads_at_once)
        self.metrics = ServerMetrics()
        self.jobs = JobQueue(tenants, self.limits, self.metrics.indexed)
        self.watching = FolderWatching(watched, tenants, self.workspaces, self.jobs)
        self._job_counts: Mapping[JobState, int] | None = None
        self.ready = False
        self._register_gauges()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the service while the context lasts; then stop jobs so that they resume at the next start."""
        await self.tenants.begin()
        async with self.work:
            await self.jobs.start()
            await self.watching.start()
            self.ready = True
            try:
                yield
            finally:
                self.ready = False
                await self.watching.stop()
                await self.jobs.stop()
                await self.workspaces.close()
        self.tenants.close()

    async def run_admitted(
        self, work: Callable[Concatenate[Workspace, P], T], kb: Workspace, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a function of a workspace in a thread, under admission control, and return its result.

        Raises
        ------
        ProblemError
            Too many requests are waiting (503), or this one took too long (504).
        """
        async with self.turns.turn(kb.name):
            return await asyncio.to_thread(work, kb, *args, **kwargs)

    async def figures(self) -> bytes:
        """Return all metrics in their current state; the numbers of jobs are NaN while they cannot be read."""
        try:
            self._job_counts = await self.tenants.job_store.counts()
        except StoreError:
            self._job_counts = None
        return self.metrics.text()

    def begin_closing(self) -> None:
        """End job event streams; requests in progress are still answered."""
        self.ready = False
        self.jobs.begin_closing()

    def _register_gauges(self) -> None:
        watch = self.metrics.watch
        watch("polyadic_workspaces_open", "Workspaces that are open.", lambda: self.workspaces.open_now)
        watch("polyadic_workspace_uses", "Requests that hold a workspace.", lambda: self.workspaces.uses_now)
        watch("polyadic_questions_in_progress", "Questions being answered.", lambda: self.turns.under_way)
        watch("polyadic_questions_waiting", "Questions waiting in the queue.", lambda: self.turns.waiting)
        states = {state.value: partial(self._count_of, state) for state in JobState}
        self.metrics.watch_states("polyadic_jobs", "Stored jobs, by state.", states)

        if (collector := self.tenants.collector()) is not None:
            self.metrics.add(collector)

    def _count_of(self, state: JobState) -> float:
        return math.nan if self._job_counts is None else self._job_counts.get(state, 0)
