"""Documents: handing them in, looking at them, changing and withdrawing them."""

import asyncio
import base64
import binascii
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import PlainTextResponse, Response

from polyadic.indexing.publisher import withdraw
from polyadic.model.types import Document, page_of
from polyadic.server.dependencies import Name, Reading, Served, Writing
from polyadic.server.job_options import Wished
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.jobs.upload import UploadedText
from polyadic.server.problem_details import ProblemError, not_found
from polyadic.server.schemas import DocumentPage, DocumentUpdate, Identifier, NewTexts, SpanView, document_with
from polyadic.server.uploads import hand_in_files, hand_in_texts
from polyadic.storage.protocol import DocumentRecord
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}/documents", tags=["documents"])
_SURROUNDINGS = 300
_PAGE = Query(ge=1, le=1000)
_FILES = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                }
            }
        },
    }
}


@router.get("", summary="The documents of a workspace")
def documents(
    workspace: Name,
    kb: Reading,
    search: Annotated[str, Query(max_length=200, description="part of the source or title")] = "",
    after: Annotated[str, Query(max_length=4000, description="`next` of the page before")] = "",
    limit: Annotated[int, _PAGE] = 100,
) -> DocumentPage:
    """By source, in pages."""
    with kb.store().read() as reader:
        page = reader.listed(_source_in(after) if after else None, limit, search)
    shown = list(page.documents)
    return DocumentPage(documents=shown, total=page.total, next=_mark(shown[-1].source) if page.more else "")


@router.post("/files", status_code=202, summary="Upload files", openapi_extra=_FILES)
async def upload(workspace: Name, kb: Writing, service: Served, request: Request, wish: Wished) -> Job:
    """They are read by a job. A file is known by its name: the same name again is a new version of the document.

    Formats: .txt .md .rst .tex .log .html .xml .yaml .pdf .docx .odt .rtf .pptx .xlsx .epub .eml, source code, text
    files without a suffix, .mbox with a document a message, and .jsonl .csv .tsv with a document a row.
    """
    return await hand_in_files(service, workspace, request, wish)


@router.post("/texts", status_code=202, summary="Hand in texts")
async def texts(workspace: Name, new: NewTexts, kb: Writing, service: Served, wish: Wished) -> Job:
    """They are read by a job. A text is known by its source: the same source again is a new version of the document."""
    given = [UploadedText(one.source, one.title, one.text, dict(one.metadata)) for one in new.texts]
    return await hand_in_texts(service, workspace, given, wish)


@router.get("/{document}", summary="A document")
def show(workspace: Name, document: Identifier, kb: Reading) -> DocumentRecord:
    """Without its text."""
    return _record(kb, document)


@router.get(
    "/{document}/text",
    summary="The text of a document",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def text(workspace: Name, document: Identifier, kb: Reading) -> PlainTextResponse:
    """As plain text, whatever it holds: spans count its characters."""
    return PlainTextResponse(_document(kb, document).text)


@router.get("/{document}/span", summary="A place in a document")
def span(
    workspace: Name,
    document: Identifier,
    kb: Reading,
    start: Annotated[int, Query(ge=0, le=2**31)],
    end: Annotated[int, Query(ge=0, le=2**31)],
) -> SpanView:
    """What stands there, as citations name it, and what surrounds it."""
    whole = _document(kb, document)
    if not start <= end <= len(whole.text):
        raise ProblemError(422, "no-such-place", f"the document has {len(whole.text):,} characters, so no such place")
    return SpanView(
        document=document,
        source=whole.source,
        title=whole.title,
        start=start,
        end=end,
        before=whole.text[max(0, start - _SURROUNDINGS) : start],
        text=whole.text[start:end],
        after=whole.text[end : end + _SURROUNDINGS],
        page=page_of(whole.pages, start),
    )


@router.put("/{document}", status_code=202, summary="Change a document")
async def change(workspace: Name, document: Identifier, changed: DocumentUpdate, kb: Writing, service: Served) -> Job:
    """Its source stays. A job reads the new text; until then questions are answered from the old one."""
    new = document_with(changed, await asyncio.to_thread(_document, kb, document))
    given = UploadedText(new.source, new.title, new.text, dict(new.metadata))
    return await hand_in_texts(service, workspace, [given], JobRequest())


@router.delete("/{document}", status_code=204, summary="Withdraw a document", response_class=Response)
async def delete(workspace: Name, document: Identifier, kb: Writing, service: Served) -> None:
    """With all that only it supports; no model is asked. 409 while documents are being read."""
    await asyncio.to_thread(_record, kb, document)
    # By identifier: a source is looked for in other places too.
    await service.work.run(withdraw(kb.store(), [document], lambda: kb.embedder))


def _record(kb: Workspace, identifier: str) -> DocumentRecord:
    with kb.store().read() as reader:
        record = reader.record(identifier)
    if record is None:
        raise not_found("document")
    return record


def _document(kb: Workspace, identifier: str) -> Document:
    with kb.store().read() as reader:
        if reader.record(identifier) is None:
            raise not_found("document")
        return reader.document(identifier)


def _mark(source: str) -> str:
    return base64.urlsafe_b64encode(source.encode("utf-8", "surrogatepass")).decode("ascii")


def _source_in(mark: str) -> str:
    try:
        return base64.b64decode(mark, b"-_", validate=True).decode("utf-8", "surrogatepass")
    except (ValueError, binascii.Error):
        raise ProblemError(422, "invalid-request", "after is none that a page gave") from None
