"""OpenAI-compatible embeddings: the embedding model of a workspace."""

import base64
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyadic.llm.cached_model import StoreResponseCache
from polyadic.query.usage import UsageMeter
from polyadic.server.dependencies import Caller, Served
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ParameterError
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1", tags=["openai"])
_Text = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]


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
