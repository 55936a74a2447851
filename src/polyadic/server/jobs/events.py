"""Notification of clients that watch jobs."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Set
from dataclasses import dataclass, field

from polyadic.server.jobs.job import UNFINISHED, Job

_QUIET_SECONDS = 10.0


@dataclass(slots=True)
class _Watcher:
    """A stream of job changes: the unfinished jobs as last seen, the changes not sent yet, and the event that wakes it.

    ``workspace`` is empty if the stream follows the jobs in ``seen`` only, else it also follows new jobs of the
    workspace.
    """

    workspace: str
    seen: dict[str, Job] = field(default_factory=dict)
    changes: dict[str, Job] = field(default_factory=dict)
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def see(self, identifier: str, job: Job | None) -> None:
        if identifier not in self.seen and (job is None or not self.workspace or job.workspace != self.workspace):
            return
        if self.seen.get(identifier) == job:
            return
        if job is None or job.state not in UNFINISHED:
            self.seen.pop(identifier, None)
        else:
            self.seen[identifier] = job
        if job is None:
            self.changes.pop(identifier, None)
        else:
            self.changes[identifier] = job
        self.woken.set()


class JobEvents:
    """The jobs that clients watch."""

    def __init__(self) -> None:
        self._watchers: list[_Watcher] = []
        self._is_over = False

    @property
    def watched(self) -> Set[str]:
        """Identifiers of the watched jobs."""
        return {identifier for watcher in self._watchers for identifier in watcher.seen}

    @property
    def workspaces(self) -> Set[str]:
        """The workspaces whose jobs are all watched."""
        return {watcher.workspace for watcher in self._watchers if watcher.workspace}

    def see(self, identifier: str, job: Job | None) -> None:
        """Notify the watchers of a job's current state; None if it was deleted."""
        for watcher in self._watchers:
            watcher.see(identifier, job)

    def close(self) -> None:
        """Send every watcher the last state and end its stream."""
        self._is_over = True
        for watcher in self._watchers:
            watcher.woken.set()

    async def watch(self, job: Job) -> AsyncGenerator[Job | None, None]:
        """Yield a job now and at each change until it has ended or is deleted; None after a quiet interval."""
        watcher = _Watcher("", {job.id: job} if job.state in UNFINISHED else {}, {job.id: job})
        self._watchers.append(watcher)
        try:
            async for change in self._changes(watcher):
                yield change
        finally:
            self._watchers.remove(watcher)

    async def watch_workspace(
        self, workspace: str, unfinished: Callable[[], Awaitable[Iterable[Job]]]
    ) -> AsyncGenerator[Job | None, None]:
        """Yield the unfinished jobs of a workspace, then each change, until all jobs have ended.

        Parameters
        ----------
        workspace
            The workspace; jobs that are queued meanwhile are included.
        unfinished
            Reads the unfinished jobs, the oldest first.

        Yields
        ------
        Job | None
            A job that has changed; None after a quiet interval.
        """
        watcher = _Watcher(workspace)
        self._watchers.append(watcher)
        try:
            for job in await unfinished():
                watcher.see(job.id, job)
            async for change in self._changes(watcher):
                yield change
        finally:
            self._watchers.remove(watcher)

    async def _changes(self, watcher: _Watcher) -> AsyncGenerator[Job | None, None]:
        while True:
            watcher.woken.clear()
            while watcher.changes:
                yield watcher.changes.pop(next(iter(watcher.changes)))
            if watcher.woken.is_set() and not self._is_over:
                continue
            if not watcher.seen or self._is_over:
                return
            try:
                async with asyncio.timeout(_QUIET_SECONDS):
                    await watcher.woken.wait()
            except TimeoutError:
                yield None
