"""The jobs of a server: one at a time for a workspace, in the order in which they came, some at once in all.

Workspaces take turns, so that who has handed in much keeps nobody waiting who has handed in little.

A job that is queued or running when the server ends, in whatever way, is queued when it starts again. What was read and
paid for by then is in the workspace, so nothing is done twice.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from polyadic.errors import StoreError
from polyadic.serving.folders import INCOMING
from polyadic.serving.jobs.book import Book
from polyadic.serving.jobs.incoming import Incoming
from polyadic.serving.jobs.job import GOING, RESUMABLE, Job, Reached, State, Wish
from polyadic.serving.jobs.process import Process, told_to_clients
from polyadic.serving.limits import Limits
from polyadic.serving.logs import told
from polyadic.serving.problems import Refused, not_found
from polyadic.serving.shares import Shares
from polyadic.tracing.spans import for_environment

_LOG = logging.getLogger(__name__)
_ATTEMPTS = 5
_QUIET_SECONDS = 10.0


@dataclass(slots=True)
class _Running:
    """A job under way, and whether somebody wants it to end."""

    process: Process
    task: "asyncio.Task[None]"
    cancelled: bool = False


@dataclass(slots=True)
class _Seen:
    """A job as it stands, who is told of each change, and within which span it runs, as long as the server does."""

    job: Job
    watchers: set[asyncio.Event] = field(default_factory=set)
    within: dict[str, str] = field(default_factory=for_environment)


class Jobs:
    """Takes jobs, runs them, and tells of them.

    Parameters
    ----------
    folder
        That of the workspaces.
    book
        Where jobs are kept.
    limits
        How many run at once, wait, and are kept when they have ended.
    """

    def __init__(self, folder: Path, book: Book, limits: Limits) -> None:
        self._folder = folder
        self._book = book
        self._limits = limits
        self._shares = Shares()
        self._seen: dict[str, _Seen] = {}
        self._running: dict[str, _Running] = {}
        self.closing = asyncio.Event()

    # what clients ask for

    def incoming(self, workspace: str) -> Incoming:
        """A folder, not made yet, for what is handed in to a workspace; its name is that of the job."""
        return Incoming(self._folder / workspace / INCOMING / secrets.token_hex(16))

    def check_room(self, workspace: str) -> None:
        """Raises Refused (503) where too many jobs of the workspace wait."""
        if sum(one.job.workspace == workspace for one in self._seen.values()) >= self._limits.jobs_waiting:
            raise Refused(503, "too-many-jobs", "too many jobs of this workspace are waiting", {"Retry-After": "30"})

    def add(self, workspace: str, wish: Wish, incoming: Incoming, documents: int) -> Job:
        """Queue a job for what was handed in."""
        self.check_room(workspace)
        job = Job(incoming.folder.name, workspace, wish, State.QUEUED, documents, _now())
        self._book.put(job)
        self._change(job)
        self._start_what_can()
        return job

    def job(self, identifier: str, workspace: str) -> Job:
        """A job of a workspace; Refused (404) where it has none with this identifier."""
        job = self._book.job(identifier, workspace)
        if job is None:
            raise not_found("job")
        return self._seen[identifier].job if identifier in self._seen else job

    def jobs(self, workspace: str, limit: int) -> list[Job]:
        """Jobs of a workspace, the latest first."""
        return [self._seen[j.id].job if j.id in self._seen else j for j in self._book.jobs(workspace, limit)]

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state."""
        return self._book.counts()

    async def cancel(self, identifier: str, workspace: str) -> Job:
        """Stop a job; what it has published by then stays. One that has ended is left as it is."""
        job = self.job(identifier, workspace)
        running = self._running.get(identifier)
        if running is not None:
            # It commits what it has in hand and ends; killed, it loses no more than that.
            running.cancelled = True
            running.process.stop()
            _, late = await asyncio.wait([running.task], timeout=self._limits.closing_seconds)
            if late:
                running.process.kill()
                await asyncio.wait(late)
        elif job.state is State.QUEUED:
            self._end(job, State.CANCELLED, "it was cancelled before it began")
        return self.job(identifier, workspace)

    def resume(self, identifier: str, workspace: str) -> Job:
        """Queue a job again that did not read everything."""
        job = self.job(identifier, workspace)
        if job.state not in RESUMABLE:
            raise Refused(409, "not-resumable", f"the job is {job.state}, so there is nothing to resume")
        if job.wish.kind == "index" and not self._incoming_of(job).is_whole():
            raise Refused(409, "not-resumable", "what was handed in is gone: hand it in again")
        self.check_room(workspace)
        job = replace(job, state=State.QUEUED, ended="", attempts=0, problem="", report=None)
        self._book.put(job)
        self._change(job)
        self._start_what_can()
        return job

    async def watch(self, identifier: str, workspace: str) -> AsyncGenerator[Job | None, None]:
        """A job as it stands and at each change, until it has ended or the server stops; None where it is quiet."""
        job = self.job(identifier, workspace)
        seen = self._seen.get(identifier) or _Seen(job)
        changed, last = asyncio.Event(), None
        seen.watchers.add(changed)
        try:
            while True:
                changed.clear()
                if seen.job is not last:
                    yield (last := seen.job)
                    continue
                if last.state not in GOING or self.closing.is_set():
                    return
                try:
                    async with asyncio.timeout(_QUIET_SECONDS):
                        await changed.wait()
                except TimeoutError:
                    yield None
        finally:
            seen.watchers.discard(changed)

    async def forget(self, workspace: str) -> None:
        """Stop and forget the jobs of a workspace that is to be deleted."""
        for seen in [one for one in self._seen.values() if one.job.workspace == workspace]:
            await self.cancel(seen.job.id, workspace)
        self._book.forget_workspace(workspace)

    # life

    def start(self) -> None:
        """Take up what was left, and remove what was handed in for no job: the server ended during an upload."""
        self._sweep()
        for job in self._book.going():
            if job.wish.kind == "index" and not self._incoming_of(job).is_whole():
                self._change(job)
                self._end(job, State.FAILED, "what was handed in is gone")
            elif job.attempts >= _ATTEMPTS:
                self._change(job)
                self._end(job, State.FAILED, f"the server ended {job.attempts} times while it ran")
            else:
                self._change(replace(job, state=State.QUEUED))
        self._start_what_can()

    def begin_closing(self) -> None:
        """Begin nothing any more, and let those go who watch."""
        self.closing.set()
        for seen in self._seen.values():
            _tell(seen)

    async def stop(self) -> None:
        """Stop what runs so that it goes on when the server starts again."""
        self.begin_closing()
        tasks = [running.task for running in self._running.values()]
        for running in self._running.values():
            running.process.stop()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._limits.closing_seconds)
            for running in [one for one in self._running.values() if one.task in late]:
                running.process.kill()
            await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        """Let go of the file in which jobs are kept."""
        self._book.close()

    # running them

    def _start_what_can(self) -> None:
        while not self.closing.is_set() and len(self._running) < self._limits.jobs_at_once:
            busy = {self._seen[identifier].job.workspace for identifier in self._running}
            first: dict[str, Job] = {}
            for job in [seen.job for seen in self._seen.values()]:
                if job.state is State.QUEUED and job.workspace not in busy:
                    first.setdefault(job.workspace, job)
            if not first:
                return
            self._begin(first[self._shares.next(first)])

    def _begin(self, job: Job) -> None:
        job = replace(job, state=State.RUNNING, started=_now(), attempts=job.attempts + 1, reached=Reached())
        self._change(job)
        process = Process(
            self._folder / job.workspace, self._incoming_of(job).folder, job.wish, self._seen[job.id].within
        )
        self._shares.began(job.workspace)
        self._running[job.id] = _Running(process, asyncio.create_task(self._run(job.id, process)))

    async def _run(self, identifier: str, process: Process) -> None:
        end: tuple[str, dict[str, Any]] | None = None
        try:
            async for what, content in process.lines():
                if what == "reached":
                    self._change(replace(self._seen[identifier].job, reached=Reached(**content)))
                else:
                    end = (what, content)
        except (OSError, ValueError) as error:
            end = ("problem", {"kind": type(error).__name__, "said": str(error)})
        finally:
            running, job = self._running.pop(identifier), self._seen[identifier].job
            self._shares.ended(job.workspace)
            self._settle(job, end, running.cancelled)
            self._start_what_can()

    def _settle(self, job: Job, end: tuple[str, dict[str, Any]] | None, cancelled: bool) -> None:
        """Enter what became of a job whose process has ended."""
        what, content = end or ("died", {})
        if what == "report":
            problem = str(content["stopped"])
            whole = not (problem or content["skipped"] or content["failed"])
            self._end(replace(job, report=content), State.SUCCEEDED if whole else State.PARTLY, problem)
        elif cancelled:
            self._end(job, State.CANCELLED, "it was cancelled")
        elif self.closing.is_set():
            # In order, so it does not count as one of the times that something went wrong.
            self._change(replace(job, state=State.QUEUED, attempts=job.attempts - 1))
        elif what == "problem":
            told(_LOG, logging.WARNING, "job failed", job=job.id, error=content["kind"], said=content["said"])
            self._end(job, State.FAILED, told_to_clients(content["kind"]))
        elif job.attempts < _ATTEMPTS:
            # Killed from outside, as where memory ran out.
            told(_LOG, logging.WARNING, "job died", job=job.id, attempts=job.attempts)
            self._change(replace(job, state=State.QUEUED))
        else:
            self._end(job, State.FAILED, "its process ended without a word")

    def _end(self, job: Job, state: State, problem: str) -> None:
        job = replace(job, state=state, ended=_now(), problem=problem)
        self._change(job)
        del self._seen[job.id]
        told(_LOG, logging.INFO, "job ended", job=job.id, workspace=job.workspace, state=state.value)
        if state not in RESUMABLE:
            self._incoming_of(job).remove()
        for old in self._book.old(job.workspace, self._limits.jobs_kept):
            self._incoming_of(old).remove()
            self._book.forget([old.id])

    def _change(self, job: Job) -> None:
        try:
            self._book.put(job)
        except StoreError as error:
            # Where the disk is full a job goes on all the same; if the server ends, it is done again.
            told(_LOG, logging.ERROR, "job not kept", job=job.id, said=str(error))
        seen = self._seen.setdefault(job.id, _Seen(job))
        seen.job = job
        _tell(seen)

    def _sweep(self) -> None:
        for folder in self._folder.glob(f"[!.]*/{INCOMING}/*"):
            is_linked = any(part.is_symlink() for part in (folder, *folder.parents[:2]))
            if not is_linked and self._book.job(folder.name, folder.parents[1].name) is None:
                Incoming(folder).remove()

    def _incoming_of(self, job: Job) -> Incoming:
        return Incoming(self._folder / job.workspace / INCOMING / job.id)


def _tell(seen: _Seen) -> None:
    for watcher in seen.watchers:
        watcher.set()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
