"""Request parameters that differ between OpenAI-compatible endpoints."""

import re
from base64 import b64encode
from dataclasses import dataclass, replace
from typing import Any, Literal

from polyadic.config import ModelSettings
from polyadic.llm.language_model import ChatMessage, ModelRequest
from polyadic.text.encodable import encodable

JsonMode = Literal["schema", "object", "text"]
_JSON_MODES: tuple[JsonMode, ...] = ("schema", "object", "text")
_JSON_MODE = re.compile(r"response[ _]format|schema|json_object", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProviderQuirks:
    """The parameters to send. It starts with the most informative ones and adapts to what the endpoint rejects."""

    json_mode: JsonMode = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    streamed_usage: bool = True
    streams: bool = True

    def body(
        self, request: ModelRequest, settings: ModelSettings, longest: int, stream: bool = False
    ) -> dict[str, Any]:
        """Build the body of a request whose reply may have ``longest`` tokens."""
        body: dict[str, Any] = {
            "model": settings.name,
            "messages": [_message(message) for message in request.messages],
            self.limit: longest,
        }
        if self.temperature:
            body["temperature"] = settings.temperature
        if request.schema and self.json_mode == "schema":
            named = {"name": request.schema.name, "schema": request.schema.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif request.schema and self.json_mode == "object":
            body["response_format"] = {"type": "json_object"}
        if stream:
            body["stream"] = True
            if self.streamed_usage:
                body["stream_options"] = {"include_usage": True}
        return body

    def without(self, refused: str) -> "ProviderQuirks | None":
        """Return the parameters to try next after a rejection; None if the message names none of them.

        Parameters
        ----------
        refused
            The parameter named by the endpoint, or its error message.

        >>> ProviderQuirks().without("'temperature' is not supported with this model").temperature
        False
        >>> ProviderQuirks().without("response_format").json_mode
        'object'
        """
        if "temperature" in refused and self.temperature:
            return replace(self, temperature=False)
        if "max_tokens" in refused and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "stream_options" in refused and self.streamed_usage:
            return replace(self, streamed_usage=False)
        if _JSON_MODE.search(refused) and self.json_mode != "text":
            return replace(self, json_mode=_JSON_MODES[_JSON_MODES.index(self.json_mode) + 1])
        return None

    def joined(self, other: "ProviderQuirks") -> "ProviderQuirks":
        """Combine two adaptations; concurrent calls each learn from their own rejection.

        >>> ProviderQuirks(temperature=False).joined(ProviderQuirks(json_mode="object"))
        ProviderQuirks(json_mode='object', limit='max_tokens', temperature=False, streamed_usage=True, streams=True)
        """
        return ProviderQuirks(
            max(self.json_mode, other.json_mode, key=_JSON_MODES.index),
            self.limit if self.limit != "max_tokens" else other.limit,
            self.temperature and other.temperature,
            self.streamed_usage and other.streamed_usage,
            self.streams and other.streams,
        )


def _message(message: ChatMessage) -> dict[str, Any]:
    # Lone surrogates, which an undecodable file name may contain, cannot be sent.
    text = encodable(message.text)
    if not message.images:
        return {"role": message.role, "content": text}
    urls = (f"data:image/png;base64,{b64encode(image).decode('ascii')}" for image in message.images)
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return {"role": message.role, "content": [{"type": "text", "text": text}, *images]}
