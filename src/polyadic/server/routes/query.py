"""Routes to ask questions and to retrieve knowledge."""

import asyncio
from collections.abc import AsyncGenerator

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from polyadic.model.types import Answer, Citation, Knowledge, TraceStep
from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.markdown_rendering import IncrementalRendering, render_markdown, render_quotations
from polyadic.server.openapi import errors
from polyadic.server.query_service import (
    AnswerRequest,
    RetrieveRequest,
    StreamRequest,
    answer_to,
    is_quoted,
    knowledge_for,
    pieces_of,
)
from polyadic.server.server_sent_events import event, streamed
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["query"], responses=errors(502, 504))
_EVENTS = """event: step
data: {"name": "walk", "detail": "148 facts, 459 entities, 27 passages", "seconds": 0.004}

event: token
data: {"text": "Ada Lovelace [1]"}

event: citation
data: {"marker": 1, "at": {"start": 13, "end": 16}, "place": {"source": "upload:ada.md", "quote": "Ada wrote it."}}

event: answer
data: {"question": "Who wrote the first published program?", "text": "Ada Lovelace [1]", "answered": true}

"""


@router.post("/query", summary="Ask a question")
async def query(workspace: Name, asked: AnswerRequest, kb: Reading, service: Served) -> Answer:
    """Return the answer with its citations, the knowledge it is based on with reasons, and a trace with times."""
    return await answer_to(service, kb, asked)


@router.post("/retrieve", summary="Retrieve knowledge")
async def retrieve(workspace: Name, asked: RetrieveRequest, kb: Reading, service: Served) -> Knowledge:
    """Return facts, passages, entities and reports with scores and reasons, best first, within the token budget."""
    return await knowledge_for(service, kb, asked)


@router.post(
    "/query/stream",
    summary="Stream an answer",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events: `step` for each step of the retrieval, `token` for each piece of the"
            " answer, `citation` for each cited sentence, `answer` with the complete answer; or `problem`. With"
            " `rendered`, `blocks` has the Markdown of the answer as elements, from block `start` on.",
            "content": {"text/event-stream": {"schema": {}, "example": _EVENTS}},
        }
    },
)
async def stream(
    workspace: Name, asked: StreamRequest, kb: Reading, service: Served, request: Request
) -> StreamingResponse:
    """As `query`, streamed. A client that disconnects cancels the question."""
    return await streamed(_events(service, kb, asked), request)


async def _events(service: ServerState, kb: Workspace, asked: StreamRequest) -> AsyncGenerator[str, None]:
    retrieval: tuple[TraceStep, ...] = ()
    cited: list[Citation] = []
    rendering = IncrementalRendering(render_quotations if is_quoted(kb, asked) else render_markdown)
    text = ""
    async for piece in pieces_of(service, kb, asked):
        if isinstance(piece, Knowledge):
            retrieval = piece.trace
            for step in retrieval:
                yield event("step", step)
        elif isinstance(piece, str):
            yield event("token", {"text": piece})
            text += piece
            if asked.rendered and rendering.is_due:
                yield await _blocks(rendering, text)
        elif isinstance(piece, Citation):
            cited.append(piece)
            yield event("citation", piece)
        else:
            for step in piece.trace:
                if step not in retrieval:
                    yield event("step", step)
            if asked.rendered:
                yield await _blocks(rendering, piece.text)
            for citation in piece.citations:
                if citation not in cited:
                    yield event("citation", citation)
            yield event("answer", piece)


async def _blocks(rendering: IncrementalRendering, text: str) -> str:
    # Hostile text can take seconds.
    start, blocks = await asyncio.to_thread(rendering.update, text)
    return event("blocks", {"start": start, "blocks": blocks})
