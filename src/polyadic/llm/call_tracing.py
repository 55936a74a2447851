"""Calls of models as spans, by OpenTelemetry's conventions for generative AI: never what was said either way.

https://github.com/open-telemetry/semantic-conventions-genai has the names.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from polyadic.text.tokens import count_tokens
from polyadic.tracing.spans import TraceSpan, Value, span

if TYPE_CHECKING:
    from polyadic.llm.endpoint import Endpoint
    from polyadic.llm.endpoint_reply import EndpointReply
    from polyadic.llm.language_model import ModelRequest

ON_THIS_MACHINE = "onnxruntime"
_AZURE, _OPENAI = "azure.ai.openai", "openai"
_OPENAIS_HOST = "api.openai.com"
_PROVIDERS = {
    "api.anthropic.com": "anthropic",
    "api.deepseek.com": "deepseek",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral_ai",
    "api.perplexity.ai": "perplexity",
    "api.x.ai": "x_ai",
    "generativelanguage.googleapis.com": "gcp.gemini",
}
_LONGEST = 200


@contextmanager
def chat_span(
    endpoint: "Endpoint", model: str, request: "ModelRequest", sent: int, longest: int, heard: "EndpointReply"
) -> Iterator[None]:
    """One call of a language model; at its end it tells what had been heard by then.

    Parameters
    ----------
    endpoint, model, request
        Who is asked, and for what purpose.
    sent, longest
        How many tokens the request has, as counted here, and how many its reply may have.
    heard
        What the reply is gathered in.
    """
    attributes = _called("chat", endpoint, model) | {
        "gen_ai.request.max_tokens": longest,
        "gen_ai.output.type": "json" if request.schema else "text",
        "polyadic.purpose": request.purpose,
    }
    with span(f"chat {model}", attributes, "client") as told:
        try:
            yield
        finally:
            if told.listened:
                _tell_of_reply(told, heard, sent)


@contextmanager
def embeddings_span(endpoint: "Endpoint", model: str, texts: int) -> Iterator[TraceSpan]:
    """One call of an embedding model for so many texts; :func:`tell_of_vectors` says what came of it."""
    attributes = _called("embeddings", endpoint, model) | {"polyadic.texts": texts}
    with span(f"embeddings {model}", attributes, "client") as told:
        yield told


def tell_of_vectors(told: TraceSpan, model: str, tokens: int) -> None:
    """Which model the vectors came from, and of how many tokens."""
    told.tell({"gen_ai.usage.input_tokens": tokens} | ({"gen_ai.response.model": _clean(model)} if model else {}))


def local_embeddings_span(model: str, dimension: int, texts: int) -> TraceSpan:
    """The same on this machine, where nobody counts tokens."""
    known = {"gen_ai.request.model": model, "gen_ai.provider.name": ON_THIS_MACHINE}
    counts = {"gen_ai.embeddings.dimension.count": dimension, "polyadic.texts": texts}
    return span(f"embeddings {model}", {"gen_ai.operation.name": "embeddings", **known, **counts})


def provider(host: str, azure: bool) -> str:
    """Who is asked, as the conventions call them; whoever else speaks OpenAI's protocol is told apart by the address.

    >>> provider("api.deepseek.com", False), provider("localhost", False), provider("ada.openai.azure.com", True)
    ('deepseek', 'openai', 'azure.ai.openai')
    """
    return _AZURE if azure else _PROVIDERS.get(host, _OPENAI)


def _called(operation: str, endpoint: "Endpoint", model: str) -> dict[str, Value]:
    host, port = _address(endpoint)
    known: dict[str, Value] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider(host, bool(endpoint.settings.azure_api_version)),
        "gen_ai.request.model": model,
        "server.address": host,
    }
    return known | ({"server.port": port} if port else {})


def _address(endpoint: "Endpoint") -> tuple[str, int]:
    """Host and port of an endpoint, 0 where no port is named: nothing else of its address, which may hold secrets."""
    try:
        address = urlsplit(endpoint.address)
        return address.hostname or _OPENAIS_HOST, address.port or 0
    except ValueError:
        return "", 0


def _tell_of_reply(told: TraceSpan, heard: "EndpointReply", sent: int) -> None:
    """What it cost as the endpoint says, and else as it is counted here."""
    if heard.envelope:
        received = heard.received or sum(count_tokens([heard.text, heard.refusal]))
        told.tell({"gen_ai.usage.input_tokens": heard.sent or sent, "gen_ai.usage.output_tokens": received})
    if heard.model:
        told.tell({"gen_ai.response.model": _clean(heard.model)})
    if heard.finish:
        told.tell({"gen_ai.response.finish_reasons": [_clean(heard.finish)]})


def _clean(said: str) -> str:
    """What an endpoint says of itself, shortened; half a surrogate pair cannot be sent on."""
    return said[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
