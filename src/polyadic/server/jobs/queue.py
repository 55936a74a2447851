"""Job queue of a server: jobs of one workspace run one at a time in order, a limited number in all.

The job store (``job_store.py``) holds the jobs and may be shared by several servers; the runner (``runner.py``) runs
them. If a server stops, in whatever way, its queued and running jobs continue at its next start or on another server.
Work that was done and paid for is already in the workspace, so nothing is repeated.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from polyadic.server.jobs.events import JobEvents
from polyadic.server.jobs.job import RESUMABLE, UNFINISHED, Job, JobRequest, JobState, now
from polyadic.server.jobs.runner import JobRunner
from polyadic.server.jobs.uploads import Upload
from polyadic.server.problem_details import ProblemError, not_found
from polyadic.server.server_limits import ServerLimits
from polyadic.server.tenants.tenant_backend import TenantBackend


class JobQueue:
    """Accepts, runs and reports jobs.

    Parameters
    ----------
    tenants
        Tenant backend with the workspaces, jobs and uploads.
    limits
        Numbers of jobs that run at once, wait, and are kept after their end.
    spent
        Called with the tokens and the money that jobs spend.
    """

    def __init__(self, tenants: TenantBackend, limits: ServerLimits, spent: Callable[[int, float], None]) -> None:
        self._job_store, self._upload_store = tenants.job_store, tenants.upload_store
        self._limits = limits
        self._watching = JobEvents()
        self._runner = JobRunner(tenants, limits, self._watching, spent)

    # requests of clients

    async def check_room(self, workspace: str) -> None:
        """Check that the workspace may queue another job.

        Raises
        ------
        ProblemError
            Too many jobs of the workspace are waiting (503).
        """
        if len(await self._job_store.unfinished(workspace)) >= self._limits.jobs_waiting:
            raise _too_many()

    async def add(self, workspace: str, request: JobRequest, upload: Upload, documents: int) -> Job:
        """Queue a job for an upload; both are stored permanently when this returns."""
        job = Job(upload.folder.name, workspace, request, JobState.QUEUED, documents, now())
        if request.has_input:
            await self._upload_store.keep(upload, workspace)
        if not await self._job_store.add(job, self._limits.jobs_waiting):
            await self._upload_store.remove(job.id, workspace)
            raise _too_many()
        self._runner.notice(job)
        return job

    async def job(self, identifier: str, workspace: str) -> Job:
        """Return a job of a workspace.

        Raises
        ------
        ProblemError
            The workspace has no job with this identifier (404).
        """
        job = await self.find(identifier, workspace)
        if job is None:
            raise not_found("job")
        return job

    async def find(self, identifier: str, workspace: str) -> Job | None:
        """Return a job of a workspace; None if there is none with this identifier."""
        job = await self._job_store.job(identifier, workspace)
        return None if job is None else self._runner.latest(job)

    async def jobs(self, workspace: str, limit: int, after: str = "") -> list[Job]:
        """Return the jobs of a workspace, the latest first; only those older than the job ``after``, if given."""
        return [self._runner.latest(job) for job in await self._job_store.jobs(workspace, limit, after)]

    async def jobs_of_folder(self, workspace: str, folder: str) -> list[Job]:
        """Return the jobs that read a watched folder, the latest first."""
        most = self._limits.jobs_waiting + self._limits.jobs_kept
        return [job for job in await self.jobs(workspace, most) if job.request.folder == folder]

    async def remove(self, job: Job) -> None:
        """Delete a job that has ended, and what it read."""
        await self._upload_store.remove(job.id, job.workspace)
        await self._job_store.delete([job.id])

    async def cancel(self, identifier: str, workspace: str) -> Job:
        """Stop a job; what it has published stays. A job that has ended is not changed."""
        deadline = asyncio.get_running_loop().time() + 2 * self._limits.closing_seconds
        job = await self.job(identifier, workspace)
        while job.state in UNFINISHED and asyncio.get_running_loop().time() < deadline:
            if await self._runner.cancel(identifier):
                pass
            elif job.state is JobState.QUEUED:
                await self._runner.end(job, job, JobState.CANCELLED, "it was cancelled")
            else:
                # Another server runs it, or has run it.
                await self._job_store.ask_to_stop(job)
                await asyncio.sleep(self._job_store.poll_interval / 2)
            job = await self.job(identifier, workspace)
        return job

    async def resume(self, identifier: str, workspace: str) -> Job:
        """Queue a job again that did not read everything."""
        job = await self.job(identifier, workspace)
        if job.state not in RESUMABLE:
            raise _not_resumable(f"the job is {job.state}, so there is nothing to resume")
        if job.request.has_input and not await self._upload_store.is_whole(job):
            raise _not_resumable("the uploaded files are missing: upload them again")
        await self.check_room(workspace)
        queued = replace(job, state=JobState.QUEUED, ended="", attempts=0, problem="", report=None)
        if not await self._job_store.compare_and_swap(job, queued):
            raise _not_resumable("the job has been resumed already")
        self._runner.notice(queued)
        return queued

    async def watch(self, identifier: str, workspace: str) -> AsyncGenerator[Job | None, None]:
        """Yield a job now and at each change until it has ended or the server stops; None after a quiet interval."""
        job = await self.job(identifier, workspace)
        async with aclosing(self._watching.watch(job)) as changes:
            async for change in changes:
                yield change

    async def watch_workspace(self, workspace: str) -> AsyncGenerator[Job | None, None]:
        """Yield the unfinished jobs of a workspace now and at each change, until all have ended or the server stops.

        None is yielded after a quiet interval.
        """

        async def unfinished() -> list[Job]:
            return [self._runner.latest(job) for job in await self._job_store.unfinished(workspace)]

        async with aclosing(self._watching.watch_workspace(workspace, unfinished)) as changes:
            async for change in changes:
                yield change

    async def forget(self, workspace: str) -> None:
        """Stop and delete the jobs of a workspace that is to be deleted."""
        for job in await self._job_store.unfinished(workspace):
            await self.cancel(job.id, workspace)
        await self._job_store.delete_workspace(workspace)

    # lifecycle

    async def start(self) -> None:
        """Start running jobs, and delete uploads that belong to no job."""
        await self._job_store.begin()
        for identifier, workspace in await self._upload_store.orphans():
            if await self._job_store.job(identifier, workspace) is None:
                await self._upload_store.remove(identifier, workspace)
        self._runner.start()

    def begin_closing(self) -> None:
        """Start no more jobs, and end the streams of watchers."""
        self._runner.begin_closing()
        self._watching.close()

    async def stop(self) -> None:
        """Stop running jobs so that they resume at the next start."""
        self.begin_closing()
        await self._runner.stop()


def _too_many() -> ProblemError:
    return ProblemError(503, "too-many-jobs", "too many jobs of this workspace are waiting", {"Retry-After": "30"})


def _not_resumable(why: str) -> ProblemError:
    return ProblemError(409, "not-resumable", why)
