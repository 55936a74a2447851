"""POST /rerank: documents by how many words of the query they hold, as Cohere, Jina, vLLM and llama.cpp reply."""

from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from polyadic.text.tokens import count_tokens
from polyadic.text.words import words
from tests.model_server.endpoint import Endpoint
from tests.model_server.errors import unknown_model
from tests.model_server.misbehaviour import Misbehaviour
from tests.model_server.records import Visit
from tests.model_server.request_parsing import ranking_asked
from tests.model_server.types import Asked


class Ranking(Endpoint):
    route = "rerank"

    def read(self, body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked:
        return ranking_asked(body, headers, number)

    async def answer(self, request: web.Request, visit: Visit, kinds: Sequence[Misbehaviour]) -> web.StreamResponse:
        asked = visit.asked
        if asked.model not in self.settings.reranking_models:
            raise unknown_model(asked.model)
        query = words(asked.body["query"])
        shares = [len(query & words(text)) / max(1, len(query)) for text in asked.inputs]
        results = [{"index": place, "relevance_score": share} for place, share in enumerate(shares)]
        results.sort(key=lambda result: -result["relevance_score"])
        visit.prompt_tokens = sum(count_tokens([asked.body["query"], *asked.inputs]))
        visit.end(200)
        return web.json_response({"id": "rank-1", "results": results[: asked.body.get("top_n", len(results))]})
