"""Tool ``get_job``: the state of an indexing job."""

from typing import Annotated

from pydantic import Field

from polyadic.errors import PolyadicError
from polyadic.mcp.request_context import GOING, State, WorkspaceAccess
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Tool, ToolArguments


class JobArguments(ToolArguments):
    """The job to look up."""

    job: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    """``job`` in the result of add_document."""


class JobResult(ToolResult):
    """State of an indexing job."""

    job: str
    state: State
    done: bool
    """Whether the job has ended."""
    chunks: int
    """Number of chunks found so far."""
    chunks_read: int
    problem: str
    """Why the document, or a part of it, was not indexed; empty if nothing is wrong."""


async def run(access: WorkspaceAccess, wanted: JobArguments) -> JobResult:
    if access.jobs is None:
        raise PolyadicError("there are no jobs here", "a document is already indexed when add_document returns")
    job = await access.jobs.job(wanted.job)
    return JobResult(
        job=job.id,
        state=job.state,
        done=job.state not in GOING,
        chunks=job.chunks,
        chunks_read=job.chunks_read,
        problem=job.problem,
    )


TOOL = Tool(
    "get_job",
    "Get a job",
    "Report whether a document added with add_document has been indexed, so that it can be searched.",
    JobArguments,
    JobResult,
    run,
    of_jobs=True,
)
