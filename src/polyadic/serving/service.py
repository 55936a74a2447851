"""What all routes of a server share, and its life from start to end."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from polyadic.serving.folders import sweep
from polyadic.serving.jobs.book import Book
from polyadic.serving.jobs.job import State
from polyadic.serving.jobs.queue import Jobs
from polyadic.serving.keys import OWN_FOLDER, KeyRing
from polyadic.serving.limits import Limits
from polyadic.serving.metrics import Metrics
from polyadic.serving.turns import Turns
from polyadic.serving.working import Work
from polyadic.serving.workspaces import Workspaces

EXPORTS = f"{OWN_FOLDER}/exports"
"""Below the served folder: exports while they are sent."""


class Service:
    """A server over a folder of workspaces.

    Parameters
    ----------
    folder
        Whose folders are workspaces; it exists.
    keys
        Who may do what; None where whoever reaches the server may do everything, which is for this machine alone.
    limits
        What it lets itself be asked for.
    """

    def __init__(self, folder: Path, keys: KeyRing | None, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.keys = keys
        self.work = Work()
        self.workspaces = Workspaces(folder, self.work, self.limits)
        self.turns = Turns(self.limits)
        # All evidence is read for one, so they come one after the other.
        self.checks = asyncio.Semaphore(1)
        self.uploads = asyncio.Semaphore(self.limits.uploads_at_once)
        self.metrics = Metrics()
        self.jobs = Jobs(self.workspaces.folder, Book(self.workspaces.folder / OWN_FOLDER / "jobs.sqlite"), self.limits)
        self.ready = False
        self._watch()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves as long as the context lasts; then jobs stop so that they go on next time."""
        sweep(self.workspaces.folder)
        exports = self.workspaces.folder / EXPORTS
        shutil.rmtree(exports, ignore_errors=True)
        exports.mkdir(parents=True)
        async with self.work:
            self.jobs.start()
            self.ready = True
            try:
                yield
            finally:
                self.ready = False
                await self.jobs.stop()
                await self.workspaces.close()
        self.jobs.close()

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
        states = {state.value: partial(self._jobs_in, state) for state in State}
        self.metrics.watch_states("polyadic_jobs", "Jobs that are kept, by state.", states)

    def _jobs_in(self, state: State) -> int:
        return self.jobs.counts().get(state, 0)
