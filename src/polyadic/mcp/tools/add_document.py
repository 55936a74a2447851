"""Tool ``add_document``: add a text, or a new version of one that this tool added before."""

from typing import Annotated, Literal

from pydantic import Field

from polyadic.errors import PolyadicError
from polyadic.mcp import limits
from polyadic.mcp.document_references import uri_of
from polyadic.mcp.request_context import GOING, Outcome, WorkspaceAccess, read
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Pairs, Tool, ToolArguments
from polyadic.model.types import Document
from polyadic.workspace import Workspace

# Documents added by clients have their own source prefix, so that no client can replace a file indexed otherwise.
SOURCE = "mcp:"


class AddArguments(ToolArguments):
    """A text and its name."""

    name: Annotated[
        str, Field(min_length=1, max_length=200, pattern=r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$")
    ]
    """Name of the document; adding a text under a name used before replaces that document."""
    text: Annotated[str, Field(min_length=1, max_length=limits.TEXT, pattern=r"\S")]
    """Plain text or Markdown."""
    title: Annotated[str, Field(max_length=limits.NAME)] = ""
    """Title of the text, if it has one; it helps to resolve what the sentences refer to."""
    metadata: Pairs = Field(default_factory=dict)
    """Keys and values by which documents can be filtered later."""


class AddResult(ToolResult):
    """The added document."""

    id: str
    uri: str
    source: str
    outcome: Literal["added", "replaced", "unchanged", "reading"]
    """``reading``: indexing is still under way; the document can be searched when it has finished."""
    chunks: int | None
    """Number of chunks; null while the document is being indexed, like the next two."""
    facts: int | None
    failed_chunks: int | None
    """Number of chunks from which no facts could be extracted."""
    job: str | None
    """Identifier of the indexing job, for get_job; null if no job was needed."""


async def run(access: WorkspaceAccess, new: AddArguments) -> AddResult:
    text = new.text.replace("\r\n", "\n").replace("\r", "\n")
    document = Document(f"{SOURCE}{new.name}", " ".join(new.title.split()), text, new.metadata)
    if access.jobs is None:
        return await _result(access, document, await _indexed(access.workspace, document))
    job = await access.jobs.upload(document)
    if job.state not in GOING and job.outcome is None:
        raise PolyadicError(f"{document.source} was not added ({job.problem})", "add it again to continue")
    return await _result(access, document, job.outcome, job.id)


async def _indexed(workspace: Workspace, document: Document) -> Outcome:
    report = await workspace.aadd([document])
    for skipped in report.skipped:
        raise PolyadicError(f"{document.source} cannot be added ({skipped.reason})", skipped.next_step)
    if report.stopped:
        raise PolyadicError(f"{document.source} was not added ({report.stopped})", "add it again to continue")
    return "added" if report.added else "replaced" if report.changed else "unchanged"


async def _result(
    access: WorkspaceAccess, document: Document, outcome: Outcome | None, job: str | None = None
) -> AddResult:
    record = await read(access.workspace, lambda reader: reader.records.record(document.id)) if outcome else None
    if outcome and record is None:
        raise PolyadicError(f"{document.source} was deleted by another client", "add it again if you still need it")
    return AddResult(
        id=document.id,
        uri=uri_of(document.id),
        source=document.source,
        outcome=outcome or "reading",
        chunks=record.chunks if record else None,
        facts=record.facts if record else None,
        failed_chunks=record.failed if record else None,
        job=job,
    )


TOOL = Tool(
    "add_document",
    "Add a document",
    "Add a text to the workspace, so that it can be searched. A name that was used before replaces that"
    " document; no other document is changed. If the settings name a language model, indexing the text costs money."
    " If a long text is still being indexed when this returns, outcome is reading, and get_job reports the progress.",
    AddArguments,
    AddResult,
    run,
    writes=True,
)
