"""How the server behaves when nothing misbehaves."""

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass

from tests.model_server.types import Responder


@dataclass
class Settings:
    """All may be changed while the server runs; the next request is treated accordingly.

    responders: tried in order until one answers.
    key: what clients must send; None accepts all, as local servers do.
    models, embedding_models, reranking_models: the names that exist.
    dimension: the length of embeddings; a request's ``dimensions`` changes it if ``honours_dimensions``.
    context_tokens: a longer prompt is an error, or with ``truncates_silently`` loses its beginning, as in Ollama.
    json_modes: which response formats beside text are supported.
    refuses: parameters of chat requests that are an error.
    delay: seconds that each call takes at least, counted from its arrival.
    tokens_per_second: how fast replies come after that; None is at once.
    port: 0 takes a free one.
    """

    responders: Sequence[Responder] = ()
    _: KW_ONLY
    key: str | None = None
    models: Collection[str] = ("recorded",)
    embedding_models: Collection[str] = ("hashing",)
    reranking_models: Collection[str] = ("ranker",)
    dimension: int = 256
    honours_dimensions: bool = True
    context_tokens: int | None = None
    truncates_silently: bool = False
    json_modes: Collection[str] = ("json_schema", "json_object")
    refuses: Collection[str] = ()
    delay: float = 0.0
    tokens_per_second: float | None = None
    port: int = 0
