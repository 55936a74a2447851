"""Submit jobs by requests: their query parameters, the response, and the header against starting one twice."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Query, Request
from starlette.responses import Response

from polyadic.model.identity import digest
from polyadic.server.dependencies import Caller, Name
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.problem_details import ProblemError
from polyadic.server.server_state import ServerState

ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"headers": {"Location": {"description": "path of the job", "schema": {"type": "string"}}}}
}
"""``responses`` of a route that starts a job."""


_REUSED = (
    "this Idempotency-Key was used before, for a request with other content or options: send a new key with each "
    "request, and the same one only to repeat it unchanged"
)

Budget = Annotated[float | None, Query(ge=0, le=1e6, description="stop before spending more money")]
SpendTokens = Annotated[int | None, Query(ge=0, le=10**12, description="stop before spending more tokens")]


def accepted(response: Response, job: Job) -> Job:
    """Add the path of a job to the response that announces it."""
    response.headers["Location"] = f"/v1/workspaces/{job.workspace}/jobs/{job.id}"
    return job


def _job_id(
    workspace: Name,
    key: Caller,
    request: Request,
    idempotency_key: Annotated[
        str,
        Header(
            alias="Idempotency-Key",
            pattern=r"^[!-~]{0,200}$",
            description="chosen by the client, one per request: repeating a request with its key returns its job",
        ),
    ] = "",
) -> str:
    return digest(key.id, request.method, request.url.path, idempotency_key) if idempotency_key else ""


RequestedId = Annotated[str, Depends(_job_id)]
"""The id of the job to start, from the API key, the route and ``Idempotency-Key``; empty without that header.

Because ids of jobs are unique, also among servers that share a database, a key cannot start two jobs.
"""


async def start_once(
    service: ServerState,
    workspace: str,
    identifier: str,
    requested: Callable[[], Awaitable[JobRequest]],
    start: Callable[[], Awaitable[Job]],
) -> Job:
    """Start a job, or return the one that an earlier request with the same id and content started.

    Parameters
    ----------
    service, workspace
        The server state and the name of the workspace.
    identifier
        As in ``RequestedId``.
    requested
        Reads what a repeated request asks for, with the digest of its content.
    start
        Starts the job under this id.

    Raises
    ------
    ProblemError
        The earlier request is still being received (409), or it had other content or options (422).
    """
    if not identifier:
        return await start()
    if identifier in service.accepting:
        detail = "a request with this Idempotency-Key is being received: retry when it has ended"
        raise ProblemError(409, "request-in-progress", detail, {"Retry-After": "2"})
    service.accepting.add(identifier)
    try:
        job = await service.jobs.find(identifier, workspace)
        if job is None:
            return await start()
        if job.request.content_digest != (await requested()).content_digest:
            raise ProblemError(422, "idempotency-key-reused", _REUSED)
        return job
    finally:
        service.accepting.discard(identifier)


def _job_request(
    extractor: Annotated[
        Literal["model", "sentences"] | None, Query(description="the workspace's setting by default")
    ] = None,
    budget: Budget = None,
    spend_tokens: SpendTokens = None,
    upload: Annotated[
        str, Query(pattern="^[0-9A-Za-z_-]{0,64}$", description="the same for all parts of one upload")
    ] = "",
) -> JobRequest:
    return JobRequest("index", extractor, budget, spend_tokens, upload)


RequestedJob = Annotated[JobRequest, Depends(_job_request)]
