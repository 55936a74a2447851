"""LightRAG-compatible API, so that its clients can be used with this server.

A LightRAG server has one workspace. Here the header ``LIGHTRAG-WORKSPACE`` or the base URL ``/lightrag/NAME`` names it;
otherwise it is the only workspace that the key opens.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import to_jsonable_python
from starlette.responses import StreamingResponse

from polyadic.model.types import Answer, Knowledge
from polyadic.query.engine import LONGEST_QUESTION
from polyadic.server.api_keys import ApiKey
from polyadic.server.chat_messages import question_and_history
from polyadic.server.dependencies import Caller, Served
from polyadic.server.jobs.job import JobRequest
from polyadic.server.jobs.upload import SCHEME, UploadedText
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ProblemError
from polyadic.server.query_service import answer_to, knowledge_for, pieces_of
from polyadic.server.schemas import AnswerRequest, RetrieveRequest
from polyadic.server.server_state import ServerState
from polyadic.server.sse import streamed
from polyadic.server.uploads import TEXT_SCHEME, upload_files, upload_texts

_METHODS = {"naive": "chunks", "bypass": "none"}
_HEADER = "LIGHTRAG-WORKSPACE"
_LONGEST_NAME = 500


class LightRAGQueryRequest(BaseModel):
    """A question in LightRAG's form; unknown fields are ignored."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "Who wrote the first published program?", "mode": "hybrid"}]}
    )

    query: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
    mode: Literal["local", "global", "hybrid", "naive", "mix", "bypass"] = Field(
        default="mix", description="naive: passages only; bypass: no documents; otherwise the workspace's method"
    )
    only_need_context: bool | None = None
    response_type: Annotated[str, StringConstraints(max_length=500)] | None = None
    user_prompt: Annotated[str, StringConstraints(max_length=500)] | None = None
    max_total_tokens: int | None = Field(default=None, ge=1, le=200_000)
    conversation_history: list[dict[str, Any]] | None = Field(default=None, max_length=500)
    include_references: bool | None = True
    include_chunk_content: bool | None = False

    def to_retrieve(self) -> RetrieveRequest:
        """Convert to a retrieval request."""
        return RetrieveRequest(question=self.query, method=self._method, context_tokens=self.max_total_tokens)

    def to_answer(self) -> AnswerRequest:
        """Convert to an answer request."""
        messages = [
            (str(message.get("role")), str(message.get("content"))[:LONGEST_QUESTION])
            for message in self.conversation_history or []
        ]
        _, history = question_and_history([*messages, ("user", "and now")])
        style = "; ".join(instruction for instruction in (self.response_type, self.user_prompt) if instruction)
        return AnswerRequest(
            question=self.query,
            method=self._method,
            context_tokens=self.max_total_tokens,
            history=history,
            style=style,
        )

    @property
    def _method(self) -> Any:
        return _METHODS.get(self.mode)


class LightRAGReference(BaseModel):
    """The document that a marker of the answer points to; ``content`` are the sentences quoted from it."""

    reference_id: str
    file_path: str
    content: list[str] | None = None


class LightRAGQueryResponse(BaseModel):
    response: str
    references: list[LightRAGReference] | None = None


class LightRAGTextRequest(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Ada Lovelace wrote the first program."}]})

    text: Annotated[str, StringConstraints(min_length=1, max_length=5_000_000)]
    file_source: Annotated[str, StringConstraints(max_length=_LONGEST_NAME)] | None = None
    description: Annotated[str, StringConstraints(max_length=_LONGEST_NAME)] | None = None


class LightRAGInsertResponse(BaseModel):
    """Reply to an added document; ``track_id`` is the identifier of the indexing job."""

    status: Literal["success"] = "success"
    message: str = "The document was accepted and is being indexed."
    track_id: str


def _by_path(workspace: str) -> str:
    return workspace


async def _by_header(service: Served, key: Caller, named: Annotated[str | None, Header(alias=_HEADER)] = None) -> str:
    if named:
        return named
    names = await service.workspaces.names(key)
    if len(names) != 1:
        raise ProblemError(404, "no-workspace-named", f"name a workspace in the header {_HEADER}")
    return names[0]


def _router(prefix: str, name: Any, where_named: str = "") -> APIRouter:
    """Create LightRAG's routes under a prefix; the dependency ``name`` gives the workspace name."""
    router = APIRouter(prefix=prefix, tags=["lightrag"], responses=errors(404, 409))
    where = Annotated[str, Depends(name)]

    async def query(
        asked: LightRAGQueryRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGQueryResponse:
        """Return the answer and the documents its markers point to."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            if asked.only_need_context:
                return LightRAGQueryResponse(response=_context(await knowledge_for(service, kb, asked.to_retrieve())))
            answer = await answer_to(service, kb, asked.to_answer())
        return LightRAGQueryResponse(response=answer.text, references=_references(answer, asked))

    async def stream(
        asked: LightRAGQueryRequest, workspace: where, service: Served, key: Caller, request: Request
    ) -> StreamingResponse:
        """Stream the answer as JSON lines, one per piece, then one with the references."""
        lines = _lines(service, key, workspace, asked)
        return await streamed(lines, request, "application/x-ndjson", _stream_error)

    async def text(
        asked: LightRAGTextRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGInsertResponse:
        """Add a text; a job reads it. ``file_source`` identifies the document."""
        async with service.workspaces.opened(workspace, key, "write") as kb:
            source = f"{TEXT_SCHEME}{_one_line(asked.file_source)}" if asked.file_source else ""
            title = _one_line(asked.description or asked.file_source or "")
            job = await upload_texts(service, workspace, kb, [UploadedText(source, title, asked.text)], JobRequest())
        return LightRAGInsertResponse(track_id=job.id)

    async def upload(workspace: where, service: Served, key: Caller, request: Request) -> LightRAGInsertResponse:
        """Add a file; a job reads it. The file name identifies the document."""
        async with service.workspaces.opened(workspace, key, "write") as kb:
            job = await upload_files(service, workspace, kb, request, JobRequest(), "file")
        return LightRAGInsertResponse(track_id=job.id)

    streams: dict[int | str, dict[str, Any]] = {
        200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
    }
    asks = errors(502, 504)
    router.post("/query", summary=f"LightRAG: ask a question{where_named}", responses=asks)(query)
    router.post(
        "/query/stream",
        summary=f"LightRAG: stream an answer{where_named}",
        response_class=StreamingResponse,
        responses=streams | asks,
    )(stream)
    router.post("/documents/text", summary=f"LightRAG: add a text{where_named}", responses=errors(507))(text)
    router.post("/documents/upload", summary=f"LightRAG: upload a file{where_named}", openapi_extra=_FILE)(upload)
    return router


_FILE = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}


async def _lines(
    service: ServerState, key: ApiKey, name: str, asked: LightRAGQueryRequest
) -> AsyncGenerator[str, None]:
    async with service.workspaces.opened(name, key, "read") as kb:
        if asked.only_need_context:
            yield _line({"response": _context(await knowledge_for(service, kb, asked.to_retrieve()))})
            return
        async with aclosing(pieces_of(service, kb, asked.to_answer())) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield _line({"response": piece})
                elif isinstance(piece, Answer) and asked.include_references:
                    yield _line({"references": to_jsonable_python(_references(piece, asked), exclude_none=True)})


def _references(answer: Answer, asked: LightRAGQueryRequest) -> list[LightRAGReference] | None:
    if not asked.include_references:
        return None
    quotes: dict[tuple[int, str], dict[str, None]] = {}
    for citation in answer.citations:
        quotes.setdefault((citation.marker, citation.place.source), {})[citation.place.quote] = None
    return [
        LightRAGReference(
            reference_id=str(marker),
            file_path=source.removeprefix(SCHEME).removeprefix(TEXT_SCHEME),
            content=list(quoted) if asked.include_chunk_content else None,
        )
        for (marker, source), quoted in sorted(quotes.items(), key=lambda entry: entry[0][0])
    ]


def _context(knowledge: Knowledge) -> str:
    return "\n\n".join(f"{item.kind}: {item.text}" for item in knowledge.items)


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _line(content: object) -> str:
    return f"{json.dumps(content, ensure_ascii=False)}\n"


def _stream_error(kind: str, detail: str) -> str:
    return _line({"error": detail})


router = _router("", _by_header)
named_router = _router("/lightrag/{workspace}", _by_path, " in a named workspace")
