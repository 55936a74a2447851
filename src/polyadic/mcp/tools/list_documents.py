"""Tool ``list_documents``: what documents there are, page by page."""

from typing import Annotated

from pydantic import Field

from polyadic.mcp import bounds, results, views
from polyadic.mcp.access import Access, read
from polyadic.mcp.listing import next_after
from polyadic.mcp.results import Result
from polyadic.mcp.tools.tool import Arguments, Tool


class ListArguments(Arguments):
    """Which page of the list."""

    limit: Annotated[int, Field(ge=1, le=bounds.DOCUMENTS)] = 50
    """How many documents to return at most."""
    after: str | None = None
    """``next`` of the result before; the list begins anew if left out."""


class ListResult(Result):
    """Documents in the order of their sources."""

    documents: list[results.Document]
    total: int
    """How many documents there are."""
    next: str | None
    """What to give as ``after`` for the next page; null on the last one."""


async def run(access: Access, wanted: ListArguments) -> ListResult:
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
