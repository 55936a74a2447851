"""Trace model calls as OpenTelemetry spans for generative AI, without the text of prompts and replies.

Attribute names follow https://github.com/open-telemetry/semantic-conventions-genai.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from opentelemetry.trace import Span, SpanKind
from opentelemetry.util.types import AttributeValue

from polyadic.text.encodable import encodable
from polyadic.text.tokens import count_tokens
from polyadic.tracing.spans import span

if TYPE_CHECKING:
    from polyadic.llm.endpoint_connection import Endpoint
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
    endpoint: "Endpoint", model: str, request: "ModelRequest", sent: int, longest: int, reply: "EndpointReply"
) -> Iterator[None]:
    """Trace one call of a language model; on exit, record what was received so far.

    Parameters
    ----------
    endpoint, model, request
        The called endpoint and model, and the request.
    sent, longest
        Number of prompt tokens, as counted here, and maximum number of completion tokens.
    reply
        The reply under construction.
    """
    attributes = _attributes("chat", endpoint, model) | {
        "gen_ai.request.max_tokens": longest,
        "gen_ai.output.type": "json" if request.schema else "text",
        "polyadic.purpose": request.purpose,
    }
    with span(f"chat {model}", attributes, SpanKind.CLIENT) as trace_span:
        try:
            yield
        finally:
            if trace_span.is_recording():
                _record_reply(trace_span, reply, sent)


@contextmanager
def embeddings_span(endpoint: "Endpoint", model: str, texts: int) -> Iterator[Span]:
    """Trace one call of an embedding model for ``texts`` texts; :func:`set_embedding_attributes` adds the result."""
    attributes = _attributes("embeddings", endpoint, model) | {"polyadic.texts": texts}
    with span(f"embeddings {model}", attributes, SpanKind.CLIENT) as trace_span:
        yield trace_span


def set_embedding_attributes(trace_span: Span, model: str, tokens: int) -> None:
    """Record the response model and the number of input tokens of an embedding call."""
    trace_span.set_attributes(
        {"gen_ai.usage.input_tokens": tokens} | ({"gen_ai.response.model": _clean(model)} if model else {})
    )


def local_embeddings_span(model: str, dimension: int, texts: int) -> AbstractContextManager[Span]:
    """Trace one call of a local embedding model, which reports no token count."""
    known = {"gen_ai.request.model": model, "gen_ai.provider.name": ON_THIS_MACHINE}
    counts = {"gen_ai.embeddings.dimension.count": dimension, "polyadic.texts": texts}
    return span(f"embeddings {model}", {"gen_ai.operation.name": "embeddings", **known, **counts})


def provider(host: str, azure: bool) -> str:
    """Return the provider name of the conventions; other OpenAI-compatible hosts are identified by their address.

    >>> provider("api.deepseek.com", False), provider("localhost", False), provider("ada.openai.azure.com", True)
    ('deepseek', 'openai', 'azure.ai.openai')
    """
    return _AZURE if azure else _PROVIDERS.get(host, _OPENAI)


def _attributes(operation: str, endpoint: "Endpoint", model: str) -> dict[str, AttributeValue]:
    host, port = _address(endpoint)
    known: dict[str, AttributeValue] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider(host, bool(endpoint.settings.azure_api_version)),
        "gen_ai.request.model": model,
        "server.address": host,
    }
    return known | ({"server.port": port} if port else {})


def _address(endpoint: "Endpoint") -> tuple[str, int]:
    """Return host and port of an endpoint, 0 for the default port; the rest of the URL may contain secrets."""
    try:
        address = urlsplit(endpoint.address)
        return address.hostname or _OPENAIS_HOST, address.port or 0
    except ValueError:
        return "", 0


def _record_reply(trace_span: Span, reply: "EndpointReply", sent: int) -> None:
    """Record token counts, as reported by the endpoint or else as counted here, and the finish reason."""
    if reply.envelope:
        received = reply.received or sum(count_tokens([reply.text, reply.refusal]))
        trace_span.set_attributes(
            {"gen_ai.usage.input_tokens": reply.sent or sent, "gen_ai.usage.output_tokens": received}
        )
    if reply.model:
        trace_span.set_attributes({"gen_ai.response.model": _clean(reply.model)})
    if reply.finish:
        trace_span.set_attributes({"gen_ai.response.finish_reasons": [_clean(reply.finish)]})


def _clean(value: str) -> str:
    """Shorten a string reported by an endpoint and replace lone surrogates, which cannot be exported."""
    return encodable(value[:_LONGEST])
