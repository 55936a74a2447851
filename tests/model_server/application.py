"""The routes of the server."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from tests.model_server.chat import Chat
from tests.model_server.checks import check_key
from tests.model_server.embeddings import Embeddings
from tests.model_server.errors import ApiError, unknown_model
from tests.model_server.ranking import Ranking
from tests.model_server.records import Records
from tests.model_server.rules import Rules
from tests.model_server.settings import Settings

_AZURE = "/openai/deployments/{deployment}"
_LARGEST_REQUEST = 1 << 30
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def application(
    settings: Settings,
    chat: Records,
    embeddings: Records,
    rankings: Records,
    rules: Rules,
    closing: asyncio.Event,
) -> web.Application:
    app = web.Application(client_max_size=_LARGEST_REQUEST)
    complete, embed = Chat(settings, chat, rules, closing), Embeddings(settings, embeddings, rules, closing)
    for prefix in ("/v1", _AZURE):
        app.router.add_post(f"{prefix}/chat/completions", complete.handle)
        app.router.add_post(f"{prefix}/embeddings", embed.handle)
    app.router.add_post("/v1/rerank", Ranking(settings, rankings, rules, closing).handle)
    app.router.add_get("/v1/models", _models(settings))
    app.router.add_get("/v1/models/{id:.+}", _models(settings))
    return app


def _models(settings: Settings) -> Handler:
    """Lists the models, or describes the one that the path names."""

    async def handle(request: web.Request) -> web.StreamResponse:
        names, wanted = [*settings.models, *settings.embedding_models], request.match_info.get("id")
        try:
            check_key(settings, request)
            if wanted is None:
                return web.json_response({"object": "list", "data": [_model(name) for name in names]})
            if wanted not in names:
                raise unknown_model(wanted)
            return web.json_response(_model(wanted))
        except ApiError as error:
            return error.response()

    return handle


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "tests"}
