"""Tool ``list_documents``: the documents of the workspace, page by page."""

from typing import Annotated

from pydantic import Field

from polyadic.mcp import limits, results
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.resources import listed_documents
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Tool, ToolArguments


class ListArguments(ToolArguments):
    """The page to return."""

    limit: Annotated[int, Field(ge=1, le=limits.DOCUMENTS)] = 50
    """Maximum number of documents."""
    after: str | None = None
    """``next`` of the previous result; the first page by default."""


class ListResult(ToolResult):
    """Documents in the order of their sources."""

    documents: list[results.DocumentResult]
    total: int
    """Number of documents in the workspace."""
    next: str | None
    """Value of ``after`` for the next page; null on the last page."""


async def run(access: WorkspaceAccess, wanted: ListArguments) -> ListResult:
    page, following = await read(
        access.workspace, lambda reader: listed_documents(reader, access.names(reader), wanted.after, wanted.limit)
    )
    return ListResult(
        documents=[results.document(record) for record in page.documents], total=page.total, next=following
    )


TOOL = Tool(
    "list_documents",
    "List documents",
    "List the documents by source, a page at a time, with identifiers, titles, sizes and metadata.",
    ListArguments,
    ListResult,
    run,
)
