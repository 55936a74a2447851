"""What the tests of endpoints have in common: settings for a test server, requests, and replies made by hand."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, cast

from aiohttp import web

from polyadic.config import EmbeddingSettings, ModelSettings
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest, ReplySchema
from tests.model_server import Misbehaviour, ModelServer
from tests.model_server.misbehaviour import Pause

KEY = "sk-very-secret-1234"
VARIABLE = "A_TEST_KEY"
SCHEMA = ReplySchema(
    "answer",
    {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True)
class Sends(Misbehaviour):
    """Sends these bytes, whatever they are."""

    body: bytes | str
    content_type: str = "application/json"
    status: int = 200

    async def act(self, pause: Pause) -> web.Response:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        return web.Response(body=body, status=self.status, content_type=self.content_type)


def model_settings(server: ModelServer, **values: Any) -> ModelSettings:
    given = {"name": "recorded", "base_url": server.url, "key_variable": VARIABLE, "timeout": 30.0, "retries": 0}
    return ModelSettings.model_validate(given | values)


def embedding_settings(server: ModelServer, **values: Any) -> EmbeddingSettings:
    given = {"name": "hashing", "base_url": server.url, "key_variable": VARIABLE, "timeout": 30.0, "retries": 0}
    return EmbeddingSettings.model_validate({"model": "endpoint"} | given | values)


def question(text: str = "Reply with JSON.", schema: ReplySchema | None = None) -> ModelRequest:
    return ModelRequest("answer", (ChatMessage("user", text),), schema)


def ask(model: EndpointModel, *requests: ModelRequest) -> list[ModelReply]:
    """The replies to all of these, asked at once in a loop of their own."""

    async def asked() -> list[ModelReply]:
        try:
            return await asyncio.gather(*(model.complete(request) for request in requests))
        finally:
            await model.close()

    return asyncio.run(asked())


def stream(model: EndpointModel, request: ModelRequest) -> tuple[list[str], ModelReply]:
    """The pieces, and the whole reply that comes last."""

    async def streamed() -> list[str | ModelReply]:
        try:
            return [piece async for piece in generator(model, request)]
        finally:
            await model.close()

    *pieces, whole = asyncio.run(streamed())
    assert isinstance(whole, ModelReply)
    return cast(list[str], pieces), whole


def generator(model: EndpointModel, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
    return model.stream(request)


def say(model: EndpointModel, request: ModelRequest, streamed: bool) -> ModelReply:
    """The reply, streamed or not."""
    return stream(model, request)[1] if streamed else ask(model, request)[0]
