"""Job runner: starts the jobs of a server, each in its own process.

Workspaces take turns, so that many jobs of one do not delay a few of another. The runner reads the job store after each
local change, and at intervals, because other servers may have changed it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from polyadic.errors import StoreError
from polyadic.server.fair_scheduler import FairScheduler
from polyadic.server.jobs.events import JobEvents
from polyadic.server.jobs.job import RESUMABLE, Job, JobProgress, JobState, now
from polyadic.server.jobs.job_store import store_errors_logged
from polyadic.server.jobs.process import JobProcess, RunningJob, client_message
from polyadic.server.json_logging import log_event
from polyadic.server.server_limits import ServerLimits
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.tracing.spans import for_environment

_LOG = logging.getLogger(__name__)
_MAX_ATTEMPTS = 5
_SECONDS_TO_CANCEL = 0.5
_MAX_SPANS = 4096


class JobRunner:
    """Starts waiting jobs of the job store, and records their results.

    Parameters
    ----------
    tenants
        Tenant backend with the workspaces, jobs and uploads.
    limits
        Number of jobs that run at once, and the time they have to stop.
    watching
        Notified of each change.
    spent
        Called with the tokens and the money that jobs spend.
    """

    def __init__(
        self, tenants: TenantBackend, limits: ServerLimits, watching: JobEvents, spent: Callable[[int, float], None]
    ) -> None:
        self._tenants, self._job_store, self._upload_store = tenants, tenants.job_store, tenants.upload_store
        self._limits = limits
        self._watching = watching
        self._spent = spent
        self._shares = FairScheduler()
        self._running: dict[str, RunningJob] = {}
        # Parent spans of the jobs that were queued here.
        self._within: dict[str, dict[str, str]] = {}
        self._unavailable = ""
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def notice(self, job: Job) -> None:
        """Take note of a job that was queued here, with the current span as its parent."""
        self._within[job.id] = for_environment()
        if len(self._within) > _MAX_SPANS:
            # Spans of jobs that run on other servers are never used; drop the oldest.
            del self._within[next(iter(self._within))]
        self._watching.see(job.id, job)
        self._changed.set()

    def latest(self, job: Job) -> Job:
        """Return the latest known state of a job that was just read from the job store.

        For a job that runs here it is never older than the job store.
        """
        running = self._running.get(job.id)
        if running is None or running.lost:
            return job
        # A read that began before the run, or before its end, is out of date. A job that was resumed after its end is
        # queued with the time of its last start.
        is_outdated = job.state is (JobState.RUNNING if job.started == running.job.started else JobState.QUEUED)
        return running.job if running.job.state is JobState.RUNNING or is_outdated else job

    async def cancel(self, identifier: str) -> bool:
        """Cancel a job that runs here and wait until it has ended; return False if it does not run here.

        A job that does not end at once is killed. What it has published and the replies it has received stay.
        """
        running = self._running.get(identifier)
        if running is None:
            return False
        await self._stop(running)
        return True

    def start(self) -> None:
        """Start the loop that starts jobs."""
        self._spawn(self._poll_loop())

    def begin_closing(self) -> None:
        """Start no more jobs."""
        self._closing.set()
        self._changed.set()

    async def stop(self) -> None:
        """Stop running jobs so that they resume at the next start."""
        # Includes jobs that are just being started.
        while self._tasks or self._running:
            stopping = [self._terminate(one, self._limits.closing_seconds) for one in self._running.values()]
            await asyncio.gather(*stopping, *self._tasks, return_exceptions=True)

    # polling

    async def _poll_loop(self) -> None:
        """Poll the job store after local changes and at intervals until the server stops."""
        while not self._closing.is_set():
            self._changed.clear()
            try:
                await self._poll()
                await self._start_waiting_jobs()
                self._log_availability("")
            except StoreError as error:
                self._log_availability(str(error))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._job_store.poll_interval):
                    await self._changed.wait()

    def _log_availability(self, problem: str) -> None:
        """Log when the job store becomes unavailable, and when it is available again: it is read twice a second."""
        if problem and not self._unavailable:
            log_event(_LOG, logging.ERROR, "job store unavailable", said=problem)
        elif self._unavailable and not problem:
            log_event(_LOG, logging.INFO, "job store available again")
        self._unavailable = problem

    async def _poll(self) -> None:
        """Check for changes by other servers to jobs that are watched here or run here."""
        for running in list(self._running.values()):
            if not await self._job_store.holds(running.job):
                self._lose(running)
        if self._running:
            for identifier in await self._job_store.asked_to_stop(self._running.keys()):
                if (stopping := self._running.get(identifier)) is not None and not stopping.cancelled:
                    self._spawn(self._stop(stopping))
        for workspace in self._watching.workspaces:
            for job in await self._job_store.unfinished(workspace):
                if job.id not in self._running:
                    self._watching.see(job.id, job)
        watched = self._watching.watched - self._running.keys()
        if watched:
            jobs = {job.id: job for job in await self._job_store.by_ids(watched)}
            for identifier in watched - self._running.keys():
                self._watching.see(identifier, jobs.get(identifier))

    async def _start_waiting_jobs(self) -> None:
        taken: set[str] = set()
        while not self._closing.is_set() and len(self._running) < self._limits.jobs_at_once:
            busy = {running.job.workspace for running in self._running.values()}
            first = {
                job.workspace: job
                for job in await self._job_store.next_per_workspace()
                if job.workspace not in busy | taken
            }
            if not first:
                return
            job = first[self._shares.next(first)]
            if not await self._job_store.acquire(job):
                taken.add(job.workspace)
                continue
            try:
                is_started = await self._start_job(job)
            except BaseException:
                await self._release(job)
                raise
            if not is_started:
                await self._release(job)

    async def _start_job(self, job: Job) -> bool:
        """Start a job whose lock is held; return False if it cannot be started."""
        if await self._job_store.asked_to_stop([job.id]):
            await self.end(job, job, JobState.CANCELLED, "it was cancelled")
        elif job.request.has_input and not await self._upload_store.is_whole(job):
            await self.end(job, job, JobState.FAILED, "the uploaded files are missing: upload them again")
        elif job.attempts >= _MAX_ATTEMPTS:
            await self.end(job, job, JobState.FAILED, f"the server stopped {job.attempts} times during the job")
        else:
            started = replace(
                job, state=JobState.RUNNING, started=now(), attempts=job.attempts + 1, progress=JobProgress()
            )
            if not await self._job_store.compare_and_swap(job, started):
                return False
            process = JobProcess(self._tenants.location(job.workspace), job.request, self._within.get(job.id, {}))
            self._shares.began(job.workspace)
            self._running[job.id] = running = RunningJob(started, process)
            running.task = self._spawn(self._run(running))
            self._publish(started)
            return True
        return False

    # running

    async def _run(self, running: RunningJob) -> None:
        result: tuple[str, dict[str, Any]] | None = None
        try:
            async with self._upload_store.fetched(running.job) as upload:
                async for what, content in running.process.lines(upload.folder):
                    if what == "progress":
                        progress = JobProgress(**content)
                        self._spent(*running.spend(progress.tokens, progress.money))
                        await self._reach(running, progress)
                    else:
                        result = (what, content)
                        self._spent(*running.spend_as_reported(content))
        except (OSError, ValueError, StoreError) as error:
            result = ("problem", {"kind": type(error).__name__, "message": str(error)})
        finally:
            job = running.job
            try:
                await self._settle(running, result)
            finally:
                await self._release(job)
                del self._running[job.id]
                self._shares.ended(job.workspace)
                self._changed.set()

    async def _reach(self, running: RunningJob, progress: JobProgress) -> None:
        becomes = replace(running.job, progress=progress)
        with store_errors_logged("progress not saved", job=becomes.id):
            if not await self._job_store.compare_and_swap(running.job, becomes):
                self._lose(running)
                return
        self._publish(becomes)

    async def _settle(self, running: RunningJob, result: tuple[str, dict[str, Any]] | None) -> None:
        """Record the result of a job whose process has ended."""
        job, (what, content) = running.job, result or ("died", {})
        if what == "problem" and not await self._holds(job):
            # The job store, and with it the database, was unreachable: the job starts again later.
            running.lost = True
        if running.lost:
            log_event(_LOG, logging.WARNING, "job left to others", job=job.id)
        elif what == "report":
            problem = str(content["stopped"])
            whole = not any(content.get(name) for name in ("stopped", "skipped", "unsupported", "failed"))
            await self.end(job, replace(job, report=content), JobState.SUCCEEDED if whole else JobState.PARTLY, problem)
        elif running.cancelled:
            await self.end(job, job, JobState.CANCELLED, "it was cancelled")
        elif self._closing.is_set():
            # An orderly stop does not count as a failed attempt.
            await self._requeue(job, job.attempts - 1)
        elif what == "problem":
            log_event(
                _LOG, logging.WARNING, "job failed", job=job.id, error=content["kind"], message=content["message"]
            )
            await self.end(job, job, JobState.FAILED, client_message(content["kind"]))
        elif job.attempts < _MAX_ATTEMPTS:
            # Killed from outside, for example for lack of memory.
            log_event(_LOG, logging.WARNING, "job died", job=job.id, attempts=job.attempts)
            await self._requeue(job, job.attempts)
        else:
            await self.end(job, job, JobState.FAILED, "the worker process ended without a result")

    async def _requeue(self, job: Job, attempts: int) -> None:
        queued = replace(job, state=JobState.QUEUED, attempts=attempts)
        if await self._swap(job, queued):
            self._publish(queued)

    async def end(self, was: Job, job: Job, state: JobState, problem: str) -> None:
        """Record the end of a job that was at the stage of ``was``.

        If this cannot be recorded, the job has not ended: it starts again and finds the work already done.
        """
        job = replace(job, state=state, ended=now(), problem=problem)
        if not await self._swap(was, job):
            return
        self._within.pop(job.id, None)
        self._publish(job)
        log_event(_LOG, logging.INFO, "job ended", job=job.id, workspace=job.workspace, state=state.value)
        with store_errors_logged("old jobs not deleted"):
            if state not in RESUMABLE:
                await self._upload_store.remove(job.id, job.workspace)
            for old in await self._job_store.expired(job.workspace, self._limits.jobs_kept):
                await self._upload_store.remove(old.id, old.workspace)
                await self._job_store.delete([old.id])

    # stopping

    async def _stop(self, running: RunningJob) -> None:
        """Cancel a job that runs here, and wait until it has ended."""
        running.cancelled = True
        await self._terminate(running, _SECONDS_TO_CANCEL)

    async def _terminate(self, running: RunningJob, seconds: float) -> None:
        # The process commits its current batches and ends; if killed, it loses only these.
        running.process.stop()
        if running.task is not None:
            _, late = await asyncio.wait([running.task], timeout=seconds)
            if late:
                running.process.kill()
                await asyncio.wait(late)

    def _lose(self, running: RunningJob) -> None:
        """Stop a job that another server has taken over or that was deleted; its results are not recorded any more."""
        running.lost = True
        running.process.stop()

    # helpers

    async def _swap(self, was: Job, becomes: Job) -> bool:
        """Call the job store's ``compare_and_swap``; return False also if the store is unavailable."""
        with store_errors_logged("job not saved", job=was.id):
            return await self._job_store.compare_and_swap(was, becomes)
        return False

    async def _holds(self, job: Job) -> bool:
        with store_errors_logged("job not readable", job=job.id):
            return await self._job_store.holds(job)
        return False

    async def _release(self, job: Job) -> None:
        with store_errors_logged("job lock not released", job=job.id):
            await self._job_store.release(job)

    def _publish(self, job: Job) -> None:
        if (running := self._running.get(job.id)) is not None:
            running.job = job
        self._watching.see(job.id, job)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
