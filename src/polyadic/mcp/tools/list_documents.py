"""Tool ``list_documents``: what documents there are, page by page."""

from typing import Annotated

from pydantic import Field

from polyadic.mcp import limits, results, views
from polyadic.mcp.pagination import next_after
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Tool, ToolArguments


class ListArguments(ToolArguments):
    """Which page of the list."""

    limit: Annotated[int, Field(ge=1, le=limits.DOCUMENTS)] = 50
    """How many documents to return at most."""
    after: str | None = None
    """``next`` of the result before; the list begins anew if left out."""


class ListResult(ToolResult):
    """Documents in the order of their sources."""

    documents: list[results.DocumentResult]
    total: int
    """How many documents there are."""
    next: str | None
    """What to give as ``after`` for the next page; null on the last one."""


async def run(access: WorkspaceAccess, wanted: ListArguments) -> ListResult:
    page = await read(access.workspace, lambda reader: reader.listed(wanted.after, wanted.limit))
    return ListResult(
        documents=[views.document(one) for one in page.documents], total=page.total, next=next_after(page)
    )


TOOL = Tool(
    "list_documents",
    "List documents",
    "The documents that can be asked, by source, a page at a time: their identifiers, titles, sizes and metadata.",
    ListArguments,
    ListResult,
    run,
)
