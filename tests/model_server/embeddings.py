"""POST /embeddings: vectors of hashed words."""

import base64
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.text.tokens import count_tokens
from tests.model_server.endpoint import Endpoint
from tests.model_server.errors import ApiError, unknown_model
from tests.model_server.misbehaviour import Misbehaviour
from tests.model_server.records import Visit
from tests.model_server.request_parsing import embedding_asked
from tests.model_server.types import Asked


class Embeddings(Endpoint):
    route = "embeddings"

    def read(self, body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked:
        return embedding_asked(body, headers, number)

    async def answer(self, request: web.Request, visit: Visit, kinds: Sequence[Misbehaviour]) -> web.StreamResponse:
        asked = visit.asked
        if asked.model not in self.settings.embedding_models:
            raise unknown_model(asked.model)
        vectors = await _embedder(self._dimension(asked)).embed(asked.inputs)
        data = [
            {"object": "embedding", "index": i, "embedding": _encoded(vector, asked)}
            for i, vector in enumerate(vectors)
        ]
        tokens = sum(count_tokens(asked.inputs))
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        await self.pause(self.settings.delay - visit.seconds)
        visit.prompt_tokens = tokens
        visit.end(200)
        return web.json_response({"object": "list", "data": data, "model": asked.model, "usage": usage})

    def _dimension(self, asked: Asked) -> int:
        wanted = asked.body.get("dimensions")
        return int(wanted) if wanted and self.settings.honours_dimensions else self.settings.dimension


@cache
def _embedder(dimension: int) -> HashingEmbedder:
    return HashingEmbedder(dimension)


def _encoded(vector: NDArray[np.float32], asked: Asked) -> list[float] | str:
    match asked.body.get("encoding_format", "float"):
        case "float":
            numbers: list[float] = vector.tolist()
            return numbers
        case "base64":
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        case other:
            raise ApiError(400, f"Invalid 'encoding_format': {other!r}.", param="encoding_format")
