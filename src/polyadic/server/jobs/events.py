"""Notification of clients that watch jobs."""

import asyncio
from collections.abc import AsyncGenerator, Set
from dataclasses import dataclass, field

from polyadic.server.jobs.job import UNFINISHED, Job

_QUIET_SECONDS = 10.0


@dataclass(slots=True)
class _Watched:
    """A watched job as last seen, None once it is deleted, and the events of its watchers."""

    job: Job | None
    watchers: set[asyncio.Event] = field(default_factory=set)

    def wake(self) -> None:
        for watcher in self.watchers:
            watcher.set()


class JobEvents:
    """The jobs that clients watch."""

    def __init__(self) -> None:
        self._watched: dict[str, _Watched] = {}
        self._is_over = False

    @property
    def watched(self) -> Set[str]:
        """Identifiers of the watched jobs."""
        return self._watched.keys()

    def see(self, identifier: str, job: Job | None) -> None:
        """Notify the watchers of a job's current state; None if it was deleted."""
        watched = self._watched.get(identifier)
        if watched is not None and watched.job != job:
            watched.job = job
            watched.wake()

    def close(self) -> None:
        """Send every watcher the last state and end its stream."""
        self._is_over = True
        for watched in self._watched.values():
            watched.wake()

    async def watch(self, job: Job) -> AsyncGenerator[Job | None, None]:
        """Yield a job now and at each change until it has ended or is deleted; None after a quiet interval."""
        watched = self._watched.setdefault(job.id, _Watched(job))
        changed, last = asyncio.Event(), None
        watched.watchers.add(changed)
        try:
            while watched.job is not None:
                changed.clear()
                if watched.job is not last:
                    yield (last := watched.job)
                    continue
                if last.state not in UNFINISHED or self._is_over:
                    return
                try:
                    async with asyncio.timeout(_QUIET_SECONDS):
                        await changed.wait()
                except TimeoutError:
                    yield None
        finally:
            watched.watchers.discard(changed)
            if not watched.watchers:
                self._watched.pop(job.id, None)
