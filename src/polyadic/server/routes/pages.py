"""Routes for the pages of a document, and images of those of a PDF file or picture."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel
from starlette.responses import Response

from polyadic.errors import UnreadableDocument
from polyadic.loaders.formats.pdf import MOST_PAGES
from polyadic.loaders.pages.page_rendering import rendered_page
from polyadic.model.types import Document
from polyadic.query.original_files import has_original, original_content
from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ProblemError, not_found
from polyadic.server.schemas import Identifier
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}/documents/{document}/pages", tags=["documents"])
_PNG: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
}


class PageList(BaseModel):
    """The pages of a document; ``starts`` are the characters of the text at which they begin."""

    starts: list[int]
    has_images: bool


@router.get("", summary="List the pages of a document", responses=errors(504))
async def pages(workspace: Name, document: Identifier, kb: Reading, service: Served) -> PageList:
    """Return where pages begin in the text, and whether images of them are available (PDF files and pictures)."""
    return await service.run_admitted(_pages, kb, document)


def _pages(kb: Workspace, document: str) -> PageList:
    with kb.store().read() as reader:
        starts = _document(reader, document).pages
        return PageList(starts=list(starts), has_images=has_original(reader, document))


@router.get("/{number}", summary="Get an image of a page", response_class=Response, responses=_PNG | errors(422, 504))
async def page(
    workspace: Name,
    document: Identifier,
    number: Annotated[int, Path(ge=1, le=MOST_PAGES)],
    kb: Reading,
    service: Served,
    request: Request,
) -> Response:
    """Return a page of a PDF file or picture as an image (PNG), if the file is unchanged or a copy is kept."""
    digest = await asyncio.to_thread(_digest, kb, document, number)
    headers = {"ETag": f'"{digest}-{number}"', "Cache-Control": "private, no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    async with service.renderings:
        if await request.is_disconnected():
            # Nobody receives this response.
            return Response(status_code=204)
        content = await asyncio.to_thread(_content, kb, document)
        image = await page_image(content, number, service.limits.page_seconds)
    return Response(image, headers=headers, media_type="image/png")


def _digest(kb: Workspace, document: str, number: int) -> str:
    with kb.store().read() as reader:
        is_page = number <= len(_document(reader, document).pages)
        original = reader.records.original(document)
        if original is None or not is_page:
            raise _no_image()
        return original.digest


def _content(kb: Workspace, document: str) -> bytes:
    with kb.store().read() as reader:
        content = original_content(reader, document)
    if content is None:
        raise _no_image()
    return content


def _document(reader: Reader, identifier: str) -> Document:
    if reader.records.record(identifier) is None:
        raise not_found("document")
    return reader.records.document(identifier)


def _no_image() -> ProblemError:
    return ProblemError(404, "no-page-image", "the document has no such page, or its file is not available")


async def page_image(content: bytes, number: int, seconds: float) -> bytes:
    """Render a page as :func:`rendered_page` does.

    Raises
    ------
    ProblemError
        The page cannot be rendered (422), or not in time (504).
    """
    try:
        return await rendered_page(content, number, seconds)
    except TimeoutError:
        raise ProblemError(504, "too-slow", f"the page was not rendered within {seconds:.0f} seconds") from None
    except UnreadableDocument:
        raise ProblemError(
            422, "not-rendered", "the page cannot be rendered: open the file in another program"
        ) from None
