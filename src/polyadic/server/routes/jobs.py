"""Routes to list, follow, cancel, resume and retry jobs."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from polyadic.server.dependencies import Name, ReadingAll, Served, Writing
from polyadic.server.job_submission import ACCEPTED, RequestedId, RequestedJob, accepted, start_once
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.schemas import Identifier, JobList
from polyadic.server.server_sent_events import QUIET, event, streamed

router = APIRouter(prefix="/v1/workspaces/{workspace}/jobs", tags=["jobs"])
_EVENTS = """event: job
data: {"id": "5f0c7d2a9b31e8445f0c7d2a9b31e844", "state": "running", "progress": {"chunks": 40, "chunks_read": 12}}

event: job
data: {"id": "5f0c7d2a9b31e8445f0c7d2a9b31e844", "state": "succeeded"}

"""


@router.get("", summary="List jobs")
async def jobs(
    workspace: Name,
    kb: ReadingAll,
    service: Served,
    after: Annotated[Identifier | None, Query(description="`next` of the previous page")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> JobList:
    """List jobs, the latest first, in pages."""
    found = await service.jobs.jobs(workspace, limit + 1, after or "")
    shown = found[:limit]
    return JobList(jobs=shown, next=shown[-1].id if len(found) > limit else "")


@router.post("", status_code=202, summary="Retry failed chunks", responses=ACCEPTED)
async def retry(
    workspace: Name,
    kb: Writing,
    service: Served,
    response: Response,
    job_request: RequestedJob,
    job: RequestedId,
) -> Job:
    """Start a job that reads all chunks again that could not be read."""
    retried = JobRequest("retry", None, job_request.budget, job_request.spend_tokens).with_content()

    async def requested() -> JobRequest:
        return retried

    async def start() -> Job:
        return await service.jobs.add(workspace, retried, service.tenants.upload_store.new_upload(workspace, job), 0)

    return accepted(response, await start_once(service, workspace, job, requested, start))


_STREAMED = {"text/event-stream": {"schema": {}, "example": _EVENTS}}


@router.get(
    "/events",
    summary="Stream the progress of all jobs",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events: `job` for each queued or running job now and at each change.",
            "content": _STREAMED,
        }
    },
)
async def all_events(workspace: Name, kb: ReadingAll, service: Served, request: Request) -> StreamingResponse:
    """Include jobs that are queued meanwhile. Ends when no job is queued or running, or when the server stops."""
    return await streamed(_events(service.jobs.watch_workspace(workspace)), request)


@router.get("/{job}", summary="Get a job")
async def show(workspace: Name, job: Identifier, kb: ReadingAll, service: Served) -> Job:
    """Return the state and progress of a job."""
    return await service.jobs.job(job, workspace)


@router.get(
    "/{job}/events",
    summary="Stream the progress of a job",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events: `job` now and at each change, until the job has ended.",
            "content": _STREAMED,
        }
    },
)
async def events(
    workspace: Name, job: Identifier, kb: ReadingAll, service: Served, request: Request
) -> StreamingResponse:
    """Ends with the job, or when the server stops; the job then continues when the server starts again."""
    return await streamed(_events(service.jobs.watch(job, workspace)), request)


@router.post("/{job}/cancel", summary="Cancel a job")
async def cancel(workspace: Name, job: Identifier, kb: Writing, service: Served) -> Job:
    """Documents that are already published stay. Has no effect on a job that has ended."""
    return await service.jobs.cancel(job, workspace)


@router.post("/{job}/resume", status_code=202, summary="Resume a job", responses=ACCEPTED)
async def resume(workspace: Name, job: Identifier, kb: Writing, service: Served, response: Response) -> Job:
    """Continue a job that was cancelled, failed or read only a part. Nothing already paid for is paid again."""
    return accepted(response, await service.jobs.resume(job, workspace))


async def _events(updates: AsyncGenerator[Job | None, None]) -> AsyncGenerator[str, None]:
    async with aclosing(updates):
        async for job_update in updates:
            yield QUIET if job_update is None else event("job", job_update)
