"""Tool ``add_document``: put a text into the workspace, or a new version of one that was put there by this tool."""

from typing import Annotated, Literal

from pydantic import Field

from polyadic.errors import PolyadicError
from polyadic.mcp import limits
from polyadic.mcp.document_references import uri_of
from polyadic.mcp.jobs import GOING, Outcome
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Pairs, Tool, ToolArguments
from polyadic.model.types import Document
from polyadic.workspace import Workspace

# Documents of clients have sources of their own, so that no client can replace a file that somebody else indexed.
SOURCE = "mcp:"


class AddArguments(ToolArguments):
    """A text and what it is called."""

    name: Annotated[
        str, Field(min_length=1, max_length=200, pattern=r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$")
    ]
    """What the document is known by: a text that is added under a name that was used before replaces that one."""
    text: Annotated[str, Field(min_length=1, max_length=limits.TEXT, pattern=r"\S")]
    """Plain text or Markdown."""
    title: Annotated[str, Field(max_length=limits.NAME)] = ""
    """What the text is about, if it has a title: it tells what its sentences speak of."""
    metadata: Pairs = Field(default_factory=dict)
    """Further keys and values, by which documents can be chosen later."""


class AddResult(ToolResult):
    """What became of the document."""

    id: str
    uri: str
    source: str
    outcome: Literal["added", "replaced", "unchanged", "reading"]
    """``reading``: it is still being read, and can be asked when that has ended."""
    chunks: int | None
    """How many pieces it has; null while it is being read, like the next two."""
    facts: int | None
    unread_chunks: int | None
    """Chunks of which no facts could be read."""
    job: str | None
    """What reads it: get_job says how far it is. Null where no job was needed."""


async def run(access: WorkspaceAccess, new: AddArguments) -> AddResult:
    text = new.text.replace("\r\n", "\n").replace("\r", "\n")
    document = Document(f"{SOURCE}{new.name}", " ".join(new.title.split()), text, new.metadata)
    if access.jobs is None:
        return await _result(access, document, await _indexed(access.workspace, document))
    job = await access.jobs.hand_in(document)
    if job.state not in GOING and job.outcome is None:
        raise PolyadicError(f"{document.source} was not added ({job.problem})", "add it again to go on from there")
    return await _result(access, document, job.outcome, job.id)


async def _indexed(workspace: Workspace, document: Document) -> Outcome:
    report = await workspace.aadd([document])
    for skipped in report.skipped:
        raise PolyadicError(f"{document.source} cannot be added ({skipped.reason})", skipped.next_step)
    if report.stopped:
        raise PolyadicError(f"{document.source} was not added ({report.stopped})", "add it again to go on from there")
    return "added" if report.added else "replaced" if report.changed else "unchanged"


async def _result(
    access: WorkspaceAccess, document: Document, outcome: Outcome | None, job: str | None = None
) -> AddResult:
    record = await read(access.workspace, lambda reader: reader.record(document.id)) if outcome else None
    if outcome and record is None:
        raise PolyadicError(f"{document.source} was withdrawn by someone else", "add it again if it is still wanted")
    return AddResult(
        id=document.id,
        uri=uri_of(document.id),
        source=document.source,
        outcome=outcome or "reading",
        chunks=record.chunks if record else None,
        facts=record.facts if record else None,
        unread_chunks=record.failed if record else None,
        job=job,
    )


TOOL = Tool(
    "add_document",
    "Add a document",
    "Put a text into the workspace, so that it can be asked. Under a name that was used before it replaces that"
    " document, and no other is ever changed. Where the settings name a language model, reading the text is paid for."
    " A long text may still be being read when this returns: outcome is then reading, and get_job says how far it is.",
    AddArguments,
    AddResult,
    run,
    writes=True,
)
