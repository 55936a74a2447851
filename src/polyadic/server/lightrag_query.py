"""LightRAG-compatible API, so that its clients can be used with this server: questions, and the routers of all routes.

A LightRAG server has one workspace. Here, the header ``LIGHTRAG-WORKSPACE`` or the base URL ``/lightrag/NAME`` names
it; without either, it is the only workspace that the key allows.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import to_jsonable_python
from starlette.responses import StreamingResponse

from polyadic.model.types import Answer, Item, ItemKind, Knowledge
from polyadic.query.request import LONGEST_QUESTION
from polyadic.server.api_keys import ApiKey
from polyadic.server.chat_messages import question_and_history
from polyadic.server.dependencies import Caller, Served
from polyadic.server.lightrag_documents import add_document_routes
from polyadic.server.lightrag_graph import add_graph_routes
from polyadic.server.lightrag_workspace import by_header, by_path, file_path, status_router
from polyadic.server.openapi import errors
from polyadic.server.query_service import AnswerRequest, RetrieveRequest, answer_to, knowledge_for, pieces_of
from polyadic.server.server_sent_events import streamed
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

_METHODS = {"naive": "chunks", "bypass": "none"}


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
            (str(message.get("role")), content[:LONGEST_QUESTION])
            for message in self.conversation_history or []
            if isinstance(content := message.get("content"), str)
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
    """The document that a marker of the answer points to; ``content`` has the sentences quoted from it."""

    reference_id: str
    file_path: str
    content: list[str] | None = None


class LightRAGQueryResponse(BaseModel):
    response: str
    references: list[LightRAGReference] | None = None


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

    async def data(asked: LightRAGQueryRequest, workspace: where, service: Served, key: Caller) -> LightRAGDataResponse:
        """Return the retrieved knowledge without an answer."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            knowledge = await knowledge_for(service, kb, asked.to_retrieve())
            return await asyncio.to_thread(_retrieved_data, kb, knowledge, asked.mode)

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
    router.post("/query/data", summary=f"LightRAG: retrieve data{where_named}", responses=asks)(data)
    add_document_routes(router, name, where_named)
    add_graph_routes(router, name, where_named)
    return router


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
        of_source = quotes.setdefault((citation.marker, citation.place.source), {})
        if not citation.whole_item:
            of_source[citation.place.quote] = None
    return [
        LightRAGReference(
            reference_id=str(marker),
            file_path=file_path(source),
            content=list(quoted) if asked.include_chunk_content else None,
        )
        for (marker, source), quoted in sorted(quotes.items(), key=lambda entry: entry[0][0])
    ]


def _context(knowledge: Knowledge) -> str:
    return "\n\n".join(f"{item.kind}: {item.text}" for item in knowledge.items)


def _line(content: object) -> str:
    return f"{json.dumps(content, ensure_ascii=False)}\n"


def _stream_error(kind: str, detail: str) -> str:
    return _line({"error": detail})


class LightRAGData(BaseModel):
    """Retrieved items by kind.

    A relationship is a fact: ``src_id`` and ``tgt_id`` are the first two entities that it connects, ``entities`` are
    all. Community reports are among the chunks.
    """

    entities: list[dict[str, Any]]
    relationships: list[dict[str, Any]]
    chunks: list[dict[str, Any]]
    references: list[dict[str, str]]


class LightRAGDataResponse(BaseModel):
    status: Literal["success"] = "success"
    message: str = "Query executed successfully"
    data: LightRAGData
    metadata: dict[str, Any]


def _retrieved_data(kb: Workspace, knowledge: Knowledge, mode: str) -> LightRAGDataResponse:
    """Convert knowledge retrieved from a workspace; references are numbered in the order of the items."""
    named = _entities(kb, knowledge)
    numbers: dict[str, str] = {}
    data = LightRAGData(entities=[], relationships=[], chunks=[], references=[])
    for item in knowledge.items:
        path = file_path(item.places[0].source) if item.places else ""
        shared = {
            "source_id": item.places[0].chunk_id if item.places else "",
            "file_path": path,
            "reference_id": numbers.setdefault(path, str(len(numbers) + 1)),
        }
        if item.kind is ItemKind.ENTITY:
            data.entities.append(named.get(item.id, _summary(item)) | shared)
        elif item.kind is ItemKind.FACT:
            data.relationships.append(_relationship(item) | shared)
        else:
            data.chunks.append({"content": item.text, "chunk_id": item.id, **shared})
    data.references = [{"reference_id": number, "file_path": path} for path, number in numbers.items() if path]
    return LightRAGDataResponse(
        data=data,
        metadata={
            "query_mode": mode,
            "keywords": {"high_level": [], "low_level": []},
            "processing_info": {
                "entities_after_truncation": len(data.entities),
                "relations_after_truncation": len(data.relationships),
                "final_chunks_count": len(data.chunks),
            },
        },
    )


def _entities(kb: Workspace, knowledge: Knowledge) -> dict[str, dict[str, Any]]:
    """Return the retrieved entities that are in documents, by identifier; the others are summaries of these."""
    identifiers = [item.id for item in knowledge.items if item.kind is ItemKind.ENTITY]
    with kb.store().read() as reader:
        found = [one for identifier in identifiers for one in reader.entities(reader.rows("entity", identifier, 1))]
    return {one.id: {"entity_name": one.name, "entity_type": one.type, "description": one.description} for one in found}


def _summary(item: Item) -> dict[str, Any]:
    name, _, description = item.text.partition(": ")
    return {"entity_name": name, "entity_type": "", "description": description}


def _relationship(fact: Item) -> dict[str, Any]:
    source, target = (*fact.entities, "", "")[:2]
    return {
        "src_id": source,
        "tgt_id": target,
        "entities": list(fact.entities),
        "description": fact.text,
        "keywords": "",
        "weight": fact.score,
    }


__all__ = ["named_router", "router", "status_router"]
router = _router("", by_header)
named_router = _router("/lightrag/{workspace}", by_path, " in a named workspace")
