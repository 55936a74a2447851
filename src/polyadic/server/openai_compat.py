"""OpenAI-compatible API: each workspace is a chat model, and its embedding model can be called.

Model ``letters`` is the workspace with its settings, ``letters:walk`` uses another retrieval method. Citations are in
the text as ``[1]`` with the quoted sentences below, and in full in the field ``citations``; the field ``claims`` tells
which parts of the answer they support. In a stream, a chunk has the citations of the sentences completed before it, and
the last chunk has all of them.
"""

import base64
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal, get_args

import numpy as np
from fastapi import APIRouter, Request
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import to_jsonable_python
from starlette.responses import JSONResponse, Response

from polyadic.config import MethodName
from polyadic.llm.cached_model import StoreResponseCache
from polyadic.model.types import Answer, Citation, Knowledge, Usage
from polyadic.query.usage_meter import UsageMeter
from polyadic.server.api_keys import ApiKey
from polyadic.server.chat_messages import question_and_history, sources
from polyadic.server.dependencies import Caller, Served
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ParameterError, ProblemError, openai_error
from polyadic.server.query_service import AnswerRequest, answer_to, pieces_of
from polyadic.server.server_sent_events import data, streamed
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1", tags=["openai"])
_OWNER = "polyadic"

_Text = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]


class OpenAIContentPart(BaseModel):
    """A part of a message; only text parts are used."""

    type: str
    text: Annotated[str, StringConstraints(max_length=100_000)] = ""


class OpenAIMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, StringConstraints(max_length=100_000)] | list[OpenAIContentPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class StreamOptions(BaseModel):
    include_usage: bool = False


class OpenAIResponseFormat(BaseModel):
    """The format of the answer; only ``text`` is supported."""

    type: Annotated[str, StringConstraints(max_length=100)]


class ChatRequest(BaseModel):
    """The supported fields of a request; other fields that clients send are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "letters",
                    "messages": [{"role": "user", "content": "Who wrote the first published program?"}],
                    "stream": False,
                }
            ]
        }
    )

    model: str
    messages: list[OpenAIMessage] = Field(min_length=1, max_length=500)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, description="1, because an answer is the same each time")
    response_format: OpenAIResponseFormat | None = None

    def check(self) -> None:
        """Refuse what clients rely on and this server cannot do.

        Raises
        ------
        ParameterError
            More than one answer, or another format than text, is requested (400).
        """
        if self.n not in (None, 1):
            raise ParameterError("n", "a workspace gives one answer to a question")
        if self.response_format and self.response_format.type != "text":
            raise ParameterError("response_format", "answers are text with citations; the only format is text")


class ModelView(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = _OWNER


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelView]


@router.get("/models", summary="List workspaces as models")
async def models(service: Served, key: Caller) -> ModelList:
    """List the workspaces that your key gives access to."""
    return ModelList(data=[ModelView(id=name) for name in await service.workspaces.names(key)])


@router.get("/models/{model}", summary="Get a workspace as a model", responses=errors(404))
async def model(model: str, service: Served, key: Caller) -> ModelView:
    """Return a workspace in the form of an OpenAI model."""
    await service.workspaces.check(model.partition(":")[0], key, "read")
    return ModelView(id=model)


@router.post(
    "/chat/completions",
    summary="Chat with a workspace",
    response_class=JSONResponse,
    responses={
        200: {
            "description": "A completion, or with `stream` its chunks as server-sent events.",
            "content": {
                "application/json": {"schema": {"type": "object"}},
                "text/event-stream": {"schema": {}},
            },
        },
        **errors(404, 409, 502, 504),
    },
)
async def chat(asked: ChatRequest, service: Served, key: Caller, request: Request) -> Response:
    """Answer the last message. A follow-up question is first made self-contained from the conversation."""
    asked.check()
    name, colon, method = asked.model.partition(":")
    question, history = question_and_history((message.role, message.text) for message in asked.messages)
    if colon and method not in get_args(MethodName):
        raise ProblemError(404, "no-such-method", "the model name must end in :METHOD with a known retrieval method")
    wanted = AnswerRequest(question=question, history=history, method=method or None)  # type: ignore[arg-type]
    if asked.stream:
        events = _chunks(service, key, name, wanted, asked)
        return await streamed(events, request, shape=_stream_error)
    async with service.workspaces.opened(name, key, "read") as kb:
        answer = await answer_to(service, kb, wanted)
    return JSONResponse(_completion(answer, asked.model))


def _completion(answer: Answer, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text + sources(answer), "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return _head("chat.completion", model) | {
        "choices": [choice],
        "usage": _usage(answer.usage),
        "citations": to_jsonable_python(answer.citations),
        "claims": to_jsonable_python(answer.claims),
    }


async def _chunks(
    service: ServerState, key: ApiKey, name: str, wanted: AnswerRequest, asked: ChatRequest
) -> AsyncGenerator[str, None]:
    head = _head("chat.completion.chunk", asked.model)
    opened = service.workspaces.opened(name, key, "read")
    async with opened as kb, aclosing(pieces_of(service, kb, wanted)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Knowledge):
                yield data(head | _delta({"role": "assistant", "content": ""}))
            elif isinstance(piece, str):
                yield data(head | _delta({"content": piece}))
            elif isinstance(piece, Citation):
                yield data(head | _delta({}) | {"citations": [piece]})
            else:
                answer = piece
    if source_list := sources(answer):
        yield data(head | _delta({"content": source_list}))
    yield data(head | _delta({}, "stop") | {"citations": answer.citations, "claims": answer.claims})
    if asked.stream_options and asked.stream_options.include_usage:
        yield data(head | {"choices": [], "usage": _usage(answer.usage)})
    yield "data: [DONE]\n\n"


def _head(kind: str, model: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
        "system_fingerprint": None,
    }


def _delta(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]}


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.tokens,
    }


def _stream_error(kind: str, detail: str) -> str:
    """Format the last event of a failed stream, in OpenAI's form."""
    return data({"error": openai_error(500, kind, detail)})


class EmbeddingRequest(BaseModel):
    """The supported fields of a request; other fields that clients send are ignored."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"model": "letters", "input": ["Ada Lovelace"]}]})

    model: str = Field(description="the workspace whose embedding model is used")
    input: _Text | Annotated[list[_Text], Field(min_length=1, max_length=2048)] = Field(
        description="a text or several; lists of token numbers are refused"
    )
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(default=None, description="must be the dimension of the model, if given")


class EmbeddingView(BaseModel):
    """A vector of length 1; in base64 its 32-bit little-endian numbers."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    prompt_tokens: int
    total_tokens: int


class EmbeddingList(BaseModel):
    object: Literal["list"] = "list"
    data: list[EmbeddingView]
    model: str
    usage: EmbeddingUsage


@router.post("/embeddings", summary="Embed texts", responses=errors(404, 409, 502, 504))
async def embeddings(asked: EmbeddingRequest, service: Served, key: Caller) -> EmbeddingList:
    """Embed texts with the embedding model of a workspace. What a text has beyond the model's window is ignored."""
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    async with service.workspaces.opened(asked.model, key, "read") as kb, service.turns.turn(kb.name):
        dimension = kb.embedder.dimension
        if asked.dimensions not in (None, dimension):
            raise ParameterError("dimensions", f"the model has {dimension} dimensions, which cannot be changed")
        vectors, tokens = await service.work.run(_embed(kb, texts))
    shown = [
        EmbeddingView(index=index, embedding=_encoded(vector, asked.encoding_format))
        for index, vector in enumerate(vectors)
    ]
    return EmbeddingList(data=shown, model=asked.model, usage=EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens))


async def _embed(kb: Workspace, texts: list[str]) -> tuple[NDArray[np.float32], int]:
    """Return the vectors and the number of tokens; the cost of an endpoint is recorded in the ledger."""
    meter = UsageMeter(StoreResponseCache(kb.store()))
    try:
        vectors = await kb.embedder.embed(texts)
    finally:
        await meter.enter_embedding(kb.embedder)
    return vectors, sum(kb.embedder.token_counts(texts))


def _encoded(vector: NDArray[np.float32], encoding: str) -> list[float] | str:
    if encoding == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    numbers: list[float] = vector.tolist()
    return numbers
