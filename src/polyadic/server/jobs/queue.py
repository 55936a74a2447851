"""The jobs of a server: one at a time for a workspace, in the order in which they came, some at once in all.

What jobs there are the book says (``job_store.py``), which several servers may share; who runs them is the runner
(``runner.py``). A job that is queued or running when its server ends, in whatever way, goes on: with the server when it
starts again, or with another that finds nobody at it. What was read and paid for by then is in the workspace, so
nothing is done twice.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from polyadic.server.jobs.events import JobEvents
from polyadic.server.jobs.job import GOING, RESUMABLE, Job, JobRequest, JobState, now
from polyadic.server.jobs.runner import JobRunner
from polyadic.server.jobs.upload import Upload
from polyadic.server.limits import ServerLimits
from polyadic.server.problem_details import ProblemError, not_found
from polyadic.server.tenants.tenant_backend import TenantBackend


class JobQueue:
    """Takes jobs, has them run, and tells of them.

    Parameters
    ----------
    site
        Where the workspaces are, the jobs, and what was handed in for them.
    limits
        How many run at once, wait, and are kept when they have ended.
    """

    def __init__(self, site: TenantBackend, limits: ServerLimits) -> None:
        self._book, self._intake = site.book, site.intake
        self._limits = limits
        self._watching = JobEvents()
        self._runner = JobRunner(site, limits, self._watching)

    # what clients ask for

    async def check_room(self, workspace: str) -> None:
        """Raises Refused (503) where too many jobs of the workspace wait."""
        if len(await self._book.going(workspace)) >= self._limits.jobs_waiting:
            raise _too_many()

    async def add(self, workspace: str, wish: JobRequest, incoming: Upload, documents: int) -> Job:
        """Queue a job for what was handed in; both are kept for good when this returns."""
        job = Job(incoming.folder.name, workspace, wish, JobState.QUEUED, documents, now())
        if wish.kind == "index":
            await self._intake.keep(incoming, workspace)
        if not await self._book.add(job, self._limits.jobs_waiting):
            await self._intake.remove(job.id, workspace)
            raise _too_many()
        self._runner.notice(job)
        return job

    async def job(self, identifier: str, workspace: str) -> Job:
        """A job of a workspace; Refused (404) where it has none with this identifier."""
        job = await self._book.job(identifier, workspace)
        if job is None:
            raise not_found("job")
        return self._runner.latest(job)

    async def jobs(self, workspace: str, limit: int) -> list[Job]:
        """Jobs of a workspace, the latest first."""
        return [self._runner.latest(job) for job in await self._book.jobs(workspace, limit)]

    async def cancel(self, identifier: str, workspace: str) -> Job:
        """Stop a job; what it has published by then stays. One that has ended is left as it is."""
        deadline = asyncio.get_running_loop().time() + 2 * self._limits.closing_seconds
        job = await self.job(identifier, workspace)
        while job.state in GOING and asyncio.get_running_loop().time() < deadline:
            if await self._runner.cancel(identifier):
                pass
            elif job.state is JobState.QUEUED:
                await self._runner.end(job, job, JobState.CANCELLED, "it was cancelled before it began")
            else:
                # Another server runs it, or did.
                await self._book.ask_to_stop(job)
                await asyncio.sleep(self._book.seconds_between_looks / 2)
            job = await self.job(identifier, workspace)
        return job

    async def resume(self, identifier: str, workspace: str) -> Job:
        """Queue a job again that did not read everything."""
        job = await self.job(identifier, workspace)
        if job.state not in RESUMABLE:
            raise _not_resumable(f"the job is {job.state}, so there is nothing to resume")
        if job.wish.kind == "index" and not await self._intake.is_whole(job):
            raise _not_resumable("what was handed in is gone: hand it in again")
        await self.check_room(workspace)
        queued = replace(job, state=JobState.QUEUED, ended="", attempts=0, problem="", report=None)
        if not await self._book.swap(job, queued):
            raise _not_resumable("the job has been resumed already")
        self._runner.notice(queued)
        return queued

    async def watch(self, identifier: str, workspace: str) -> AsyncGenerator[Job | None, None]:
        """A job as it stands and at each change, until it has ended or the server stops; None where it is quiet."""
        job = await self.job(identifier, workspace)
        async with aclosing(self._watching.watch(job)) as changes:
            async for one in changes:
                yield one

    async def forget(self, workspace: str) -> None:
        """Stop and forget the jobs of a workspace that is to be deleted."""
        for job in await self._book.going(workspace):
            await self.cancel(job.id, workspace)
        await self._book.forget_workspace(workspace)

    # life

    async def start(self) -> None:
        """Take up what was left, and remove what was handed in for no job."""
        await self._book.begin()
        for identifier, workspace in await self._intake.left():
            if await self._book.job(identifier, workspace) is None:
                await self._intake.remove(identifier, workspace)
        self._runner.start()

    def begin_closing(self) -> None:
        """Begin nothing any more, and let those go who watch."""
        self._runner.begin_closing()
        self._watching.let_go()

    async def stop(self) -> None:
        """Stop what runs so that it goes on when the server starts again."""
        self.begin_closing()
        await self._runner.stop()


def _too_many() -> ProblemError:
    return ProblemError(503, "too-many-jobs", "too many jobs of this workspace are waiting", {"Retry-After": "30"})


def _not_resumable(why: str) -> ProblemError:
    return ProblemError(409, "not-resumable", why)
