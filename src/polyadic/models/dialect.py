"""How one endpoint wants to be asked: endpoints that speak the OpenAI protocol differ in a few parameters."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from polyadic.models.language_model import Request
from polyadic.settings import ModelSettings

_AFTER_REFUSAL: dict[str, Literal["object", "text"]] = {"schema": "object", "object": "text"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What to send. It begins with what says most, and learns from what the endpoint refuses."""

    json_mode: Literal["schema", "object", "text"] = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    streamed_usage: bool = True

    def body(self, request: Request, settings: ModelSettings) -> dict[str, Any]:
        """The parameters of a call."""
        body: dict[str, Any] = {
            "model": settings.name,
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
            self.limit: settings.output_tokens,
        }
        if self.temperature:
            body["temperature"] = settings.temperature
        if request.schema and self.json_mode == "schema":
            named = {"name": request.schema.name, "schema": request.schema.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif request.schema and self.json_mode == "object":
            body["response_format"] = {"type": "json_object"}
        return body

    def without(self, refused: str) -> "Dialect | None":
        """The dialect to try next where this was refused; None where nothing in it was.

        Parameters
        ----------
        refused
            The parameter that the endpoint names, or all that it says.

        >>> Dialect().without("'temperature' is not supported with this model").temperature
        False
        >>> Dialect().without("response_format").json_mode
        'object'
        """
        if "temperature" in refused and self.temperature:
            return replace(self, temperature=False)
        if "max_tokens" in refused and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "stream_options" in refused and self.streamed_usage:
            return replace(self, streamed_usage=False)
        if ("response_format" in refused or "schema" in refused) and self.json_mode in _AFTER_REFUSAL:
            return replace(self, json_mode=_AFTER_REFUSAL[self.json_mode])
        return None
