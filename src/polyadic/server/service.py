"""What all routes of a server share, and its life from start to end."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from polyadic.server.admission import AdmissionController
from polyadic.server.api_keys import KeyRing
from polyadic.server.jobs.job import JobState
from polyadic.server.jobs.queue import JobQueue
from polyadic.server.limits import ServerLimits
from polyadic.server.loop_thread import LoopThread
from polyadic.server.metrics import ServerMetrics
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.server.workspace_registry import WorkspaceRegistry


class ServerState:
    """A server over the workspaces of a site.

    Parameters
    ----------
    site
        Where they are; closed when the service has run.
    keys
        Who may do what; None where whoever reaches the server may do everything, which is for this machine alone.
    limits
        What it lets itself be asked for.
    """

    def __init__(self, site: TenantBackend, keys: KeyRing | None, limits: ServerLimits | None = None) -> None:
        self.site = site
        self.limits = limits or ServerLimits()
        self.keys = keys
        self.work = LoopThread()
        self.workspaces = WorkspaceRegistry(site, self.work, self.limits)
        self.turns = AdmissionController(self.limits)
        # All evidence is read for one, so they come one after the other.
        self.checks = asyncio.Semaphore(1)
        self.uploads = asyncio.Semaphore(self.limits.uploads_at_once)
        self.metrics = ServerMetrics()
        self.jobs = JobQueue(site, self.limits)
        self._in_states: Mapping[JobState, int] = {}
        self.ready = False
        self._watch()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves as long as the context lasts; then jobs stop so that they go on next time."""
        await self.site.begin()
        async with self.work:
            await self.jobs.start()
            self.ready = True
            try:
                yield
            finally:
                self.ready = False
                await self.jobs.stop()
                await self.workspaces.close()
        self.site.close()

    async def figures(self) -> bytes:
        """All figures, as they are now."""
        self._in_states = await self.site.book.counts()
        return self.metrics.text()

    def begin_closing(self) -> None:
        """Let those go who only watch; what is being answered is answered."""
        self.ready = False
        self.jobs.begin_closing()

    def _watch(self) -> None:
        watch = self.metrics.watch
        watch("polyadic_workspaces_open", "Workspaces that are open.", lambda: self.workspaces.open_now)
        watch("polyadic_workspace_uses", "Requests that hold a workspace.", lambda: self.workspaces.uses_now)
        watch("polyadic_questions_under_way", "Questions being answered.", lambda: self.turns.under_way)
        watch("polyadic_questions_waiting", "Questions waiting for their turn.", lambda: self.turns.waiting)
        states = {state.value: partial(self._jobs_in, state) for state in JobState}
        self.metrics.watch_states("polyadic_jobs", "Jobs that are kept, by state.", states)

    def _jobs_in(self, state: JobState) -> int:
        return self._in_states.get(state, 0)
