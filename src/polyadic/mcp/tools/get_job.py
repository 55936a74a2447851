"""Tool ``get_job``: whether a document that was handed in has been read."""

from typing import Annotated

from pydantic import Field

from polyadic.errors import PolyadicError
from polyadic.mcp.jobs import GOING, State
from polyadic.mcp.request_context import WorkspaceAccess
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Tool, ToolArguments


class JobArguments(ToolArguments):
    """Which job."""

    job: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    """``job`` of what add_document returned."""


class JobResult(ToolResult):
    """How a job stands."""

    job: str
    state: State
    done: bool
    """Whether it has ended."""
    chunks: int
    """Pieces of the text that were found to be read so far."""
    chunks_read: int
    problem: str
    """Why the document was not read, or not the whole of it; empty where nothing is wrong."""


async def run(access: WorkspaceAccess, wanted: JobArguments) -> JobResult:
    if access.jobs is None:
        raise PolyadicError("there are no jobs here", "add_document has read a document when it returns")
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
    "Look at a job",
    "Whether a document that add_document handed in has been read by now, so that it can be asked.",
    JobArguments,
    JobResult,
    run,
    of_jobs=True,
)
