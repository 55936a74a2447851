"""Who runs the jobs of a server, each in a process of its own.

Workspaces take turns, so that who has handed in much keeps nobody waiting who has handed in little. The book is looked
into whenever something has changed here, and now and then, because others may have changed it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, replace
from typing import Any

from polyadic.errors import StoreError
from polyadic.server.fair_scheduler import FairScheduler
from polyadic.server.jobs.events import JobEvents
from polyadic.server.jobs.job import RESUMABLE, Job, JobProgress, JobState, now
from polyadic.server.jobs.process import JobProcess, told_to_clients
from polyadic.server.limits import ServerLimits
from polyadic.server.logs import log_event
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.tracing.spans import for_environment

_LOG = logging.getLogger(__name__)
_ATTEMPTS = 5
_SPANS_KEPT = 4096


@dataclass(slots=True)
class _Running:
    """A job under way here, whether somebody wants it to end, and whether it is another server's by now."""

    job: Job
    process: JobProcess
    task: "asyncio.Task[None] | None" = None
    cancelled: bool = False
    lost: bool = False


class JobRunner:
    """Begins the jobs of a book that nobody runs, and enters what becomes of them.

    Parameters
    ----------
    site
        Where the workspaces are, the jobs, and what was handed in for them.
    limits
        How many run at once, and how long they have to end.
    watching
        Is told of each change.
    """

    def __init__(self, site: TenantBackend, limits: ServerLimits, watching: JobEvents) -> None:
        self._site, self._book, self._intake = site, site.book, site.intake
        self._limits = limits
        self._watching = watching
        self._shares = FairScheduler()
        self._running: dict[str, _Running] = {}
        # Of jobs handed in here: within which span they run.
        self._within: dict[str, dict[str, str]] = {}
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def notice(self, job: Job) -> None:
        """A job has been queued here, within the span of whoever did so."""
        self._within[job.id] = for_environment()
        if len(self._within) > _SPANS_KEPT:
            # Of some that are run elsewhere it is never asked for again.
            del self._within[next(iter(self._within))]
        self._watching.see(job.id, job)
        self._changed.set()

    def latest(self, job: Job) -> Job:
        """The job as it is known here; of one that runs here that is never older than the book."""
        running = self._running.get(job.id)
        return job if running is None or running.lost else running.job

    async def cancel(self, identifier: str) -> bool:
        """Cancel a job that runs here, and wait until it has ended; False where none does."""
        running = self._running.get(identifier)
        if running is None:
            return False
        await self._stop(running)
        return True

    def start(self) -> None:
        """Begin what can begin, from now on."""
        self._aside(self._look_on())

    def begin_closing(self) -> None:
        """Begin nothing any more."""
        self._closing.set()
        self._changed.set()

    async def stop(self) -> None:
        """Stop what runs so that it goes on when somebody begins it again."""
        # Those that are still being begun as well.
        while self._tasks or self._running:
            stopping = [self._stopped(one) for one in self._running.values()]
            await asyncio.gather(*stopping, *self._tasks, return_exceptions=True)

    # looking what there is to do

    async def _look_on(self) -> None:
        """Look into the book whenever something has changed here, and now and then, until the server stops."""
        while not self._closing.is_set():
            self._changed.clear()
            try:
                await self._look()
                await self._begin_what_can()
            except StoreError as error:
                log_event(_LOG, logging.ERROR, "jobs not to be seen", said=str(error))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._book.seconds_between_looks):
                    await self._changed.wait()

    async def _look(self) -> None:
        """See what others have done: to jobs that are watched here, and to those that run here."""
        for running in list(self._running.values()):
            if not await self._book.holds(running.job):
                self._lose(running)
        if self._running:
            for identifier in await self._book.asked_to_stop(self._running.keys()):
                if (asked := self._running.get(identifier)) is not None and not asked.cancelled:
                    self._aside(self._stop(asked))
        elsewhere = self._watching.watched - self._running.keys()
        if elsewhere:
            found = {job.id: job for job in await self._book.these(elsewhere)}
            for identifier in elsewhere - self._running.keys():
                self._watching.see(identifier, found.get(identifier))

    async def _begin_what_can(self) -> None:
        others: set[str] = set()
        while not self._closing.is_set() and len(self._running) < self._limits.jobs_at_once:
            here = {running.job.workspace for running in self._running.values()}
            first = {job.workspace: job for job in await self._book.first() if job.workspace not in here | others}
            if not first:
                return
            job = first[self._shares.next(first)]
            if not await self._book.take(job):
                others.add(job.workspace)
                continue
            try:
                is_begun = await self._begin(job)
            except BaseException:
                await self._let_go(job)
                raise
            if not is_begun:
                await self._let_go(job)

    async def _begin(self, job: Job) -> bool:
        """Begin a job that was taken; False where there is nothing to be begun."""
        if await self._book.asked_to_stop([job.id]):
            await self.end(job, job, JobState.CANCELLED, "it was cancelled")
        elif job.wish.kind == "index" and not await self._intake.is_whole(job):
            await self.end(job, job, JobState.FAILED, "what was handed in is gone")
        elif job.attempts >= _ATTEMPTS:
            await self.end(job, job, JobState.FAILED, f"the server ended {job.attempts} times while it ran")
        else:
            begun = replace(
                job, state=JobState.RUNNING, started=now(), attempts=job.attempts + 1, reached=JobProgress()
            )
            if not await self._book.swap(job, begun):
                return False
            process = JobProcess(self._site.whereabouts(job.workspace), job.wish, self._within.get(job.id, {}))
            self._shares.began(job.workspace)
            self._running[job.id] = running = _Running(begun, process)
            running.task = self._aside(self._run(running))
            self._tell(begun)
            return True
        return False

    # running them

    async def _run(self, running: _Running) -> None:
        end: tuple[str, dict[str, Any]] | None = None
        try:
            async with self._intake.fetched(running.job) as incoming:
                async for what, content in running.process.lines(incoming.folder):
                    if what == "reached":
                        await self._reach(running, JobProgress(**content))
                    else:
                        end = (what, content)
        except (OSError, ValueError, StoreError) as error:
            end = ("problem", {"kind": type(error).__name__, "said": str(error)})
        finally:
            job = running.job
            try:
                await self._settle(running, end)
            finally:
                await self._let_go(job)
                del self._running[job.id]
                self._shares.ended(job.workspace)
                self._changed.set()

    async def _reach(self, running: _Running, reached: JobProgress) -> None:
        becomes = replace(running.job, reached=reached)
        with _said("progress not kept", job=becomes.id):
            if not await self._book.swap(running.job, becomes):
                self._lose(running)
                return
        self._tell(becomes)

    async def _settle(self, running: _Running, end: tuple[str, dict[str, Any]] | None) -> None:
        """Enter what became of a job whose process has ended."""
        job, (what, content) = running.job, end or ("died", {})
        if what == "problem" and not await self._is_held(job):
            # What went wrong is that the book, and with it the store, was out of reach: it is begun again.
            running.lost = True
        if running.lost:
            log_event(_LOG, logging.WARNING, "job left to others", job=job.id)
        elif what == "report":
            problem = str(content["stopped"])
            whole = not (problem or content["skipped"] or content["unsupported"] or content["failed"])
            await self.end(job, replace(job, report=content), JobState.SUCCEEDED if whole else JobState.PARTLY, problem)
        elif running.cancelled:
            await self.end(job, job, JobState.CANCELLED, "it was cancelled")
        elif self._closing.is_set():
            # In order, so it does not count as one of the times that something went wrong.
            await self._requeue(job, job.attempts - 1)
        elif what == "problem":
            log_event(_LOG, logging.WARNING, "job failed", job=job.id, error=content["kind"], said=content["said"])
            await self.end(job, job, JobState.FAILED, told_to_clients(content["kind"]))
        elif job.attempts < _ATTEMPTS:
            # Killed from outside, as where memory ran out.
            log_event(_LOG, logging.WARNING, "job died", job=job.id, attempts=job.attempts)
            await self._requeue(job, job.attempts)
        else:
            await self.end(job, job, JobState.FAILED, "its process ended without a word")

    async def _requeue(self, job: Job, attempts: int) -> None:
        queued = replace(job, state=JobState.QUEUED, attempts=attempts)
        if await self._swap(job, queued):
            self._tell(queued)

    async def end(self, was: Job, job: Job, state: JobState, problem: str) -> None:
        """Enter the end of a job that was at the stage that ``was`` tells.

        Where that cannot be entered the job has not ended: it will be begun again, and find what has been done.
        """
        job = replace(job, state=state, ended=now(), problem=problem)
        if not await self._swap(was, job):
            return
        self._within.pop(job.id, None)
        self._tell(job)
        log_event(_LOG, logging.INFO, "job ended", job=job.id, workspace=job.workspace, state=state.value)
        with _said("jobs not tidied up"):
            if state not in RESUMABLE:
                await self._intake.remove(job.id, job.workspace)
            for old in await self._book.old(job.workspace, self._limits.jobs_kept):
                await self._intake.remove(old.id, old.workspace)
                await self._book.forget([old.id])

    # stopping them

    async def _stop(self, running: _Running) -> None:
        """Cancel a job that runs here, and wait until it has ended."""
        running.cancelled = True
        await self._stopped(running)

    async def _stopped(self, running: _Running) -> None:
        # It commits what it has in hand and ends; killed, it loses no more than that.
        running.process.stop()
        if running.task is not None:
            _, late = await asyncio.wait([running.task], timeout=self._limits.closing_seconds)
            if late:
                running.process.kill()
                await asyncio.wait(late)

    def _lose(self, running: _Running) -> None:
        """Stop a job that is another server's, or nobody's: nothing is entered of it any more."""
        running.lost = True
        running.process.stop()

    # steps of the above

    async def _swap(self, was: Job, becomes: Job) -> bool:
        """As the book's; False as well where it cannot be used."""
        with _said("job not kept", job=was.id):
            return await self._book.swap(was, becomes)
        return False

    async def _is_held(self, job: Job) -> bool:
        with _said("job not to be seen", job=job.id):
            return await self._book.holds(job)
        return False

    async def _let_go(self, job: Job) -> None:
        with _said("job not let go", job=job.id):
            await self._book.let_go(job)

    def _tell(self, job: Job) -> None:
        if (running := self._running.get(job.id)) is not None:
            running.job = job
        self._watching.see(job.id, job)

    def _aside(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


@contextlib.contextmanager
def _said(what: str, **about: Any) -> Iterator[None]:
    """Where the book cannot be used within, that is said and no more."""
    try:
        yield
    except StoreError as error:
        log_event(_LOG, logging.ERROR, what, said=str(error), **about)
