"""Reads requests: from JSON to Asked, or to the error that OpenAI gives."""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from tests.model_server.errors import ApiError
from tests.model_server.types import Asked, JsonMode, Message

_MOST_INPUTS = 2048
_PNG_URL = "data:image/png;base64,"


async def json_body(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError as error:
        raise ApiError(400, "We could not parse the JSON body of your request.") from error
    if not isinstance(body, dict):
        raise ApiError(400, "The JSON body of a request must be an object.")
    # Azure names the model in the path.
    return {**body, "model": request.match_info.get("deployment", body.get("model"))}


def chat_asked(body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked:
    mode, schema = _response_format(body.get("response_format") or {"type": "text"})
    return Asked(
        number,
        _text(body, "model"),
        _messages(body.get("messages")),
        schema,
        mode,
        _limit(body, "max_completion_tokens") or _limit(body, "max_tokens"),
        _temperature(body),
        bool(body.get("stream")),
        headers=_lower(headers),
        body=body,
    )


def embedding_asked(body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked:
    given = body.get("input")
    inputs = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list) else ()
    if not inputs or len(inputs) > _MOST_INPUTS or not all(isinstance(text, str) and text for text in inputs):
        message = f"Invalid 'input': 1 to {_MOST_INPUTS} texts, none of them empty, are expected."
        raise ApiError(400, message, param="input")
    return Asked(number, _text(body, "model"), inputs=inputs, headers=_lower(headers), body=body)


def ranking_asked(body: dict[str, Any], headers: Mapping[str, str], number: int) -> Asked:
    given = body.get("documents")
    if not isinstance(given, list) or not given or not all(isinstance(text, str) for text in given):
        raise ApiError(400, "Invalid 'documents': a list of texts is expected.", param="documents")
    _text(body, "query")
    return Asked(number, _text(body, "model"), inputs=tuple(given), headers=_lower(headers), body=body)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _text(body: Mapping[str, Any], name: str) -> str:
    if isinstance(value := body.get(name), str):
        return value
    raise ApiError(400, f"Missing required parameter: '{name}'.", "missing_required_parameter", name)


def _limit(body: Mapping[str, Any], name: str) -> int | None:
    value = body.get(name)
    if value is None or (type(value) is int and value >= 1):
        return value
    raise ApiError(400, f"Invalid '{name}': a whole number from 1 is expected.", "invalid_value", name)


def _temperature(body: Mapping[str, Any]) -> float | None:
    value = body.get("temperature")
    if value is None:
        return None
    if type(value) in (int, float) and 0 <= value <= 2:
        return float(value)
    raise ApiError(400, "Invalid 'temperature': a number from 0 to 2 is expected.", "invalid_value", "temperature")


def _messages(given: Any) -> tuple[Message, ...]:
    if not isinstance(given, list) or not given:
        raise ApiError(400, "Invalid 'messages': a list with at least one message is expected.", param="messages")
    return tuple(_message(message) for message in given)


def _message(given: Any) -> Message:
    match given:
        case {"role": str(role), "content": str(text)}:
            return Message(role, text)
        case {"role": str(role), "content": list(parts)}:
            text = "".join(str(part.get("text", "")) for part in parts)
            return Message(role, text, tuple(_image(part) for part in parts if part.get("type") == "image_url"))
        case {"role": "assistant"}:
            return Message("assistant", "")
    raise ApiError(400, f"Invalid 'messages': {given!r} is no message.", param="messages")


def _response_format(given: Any) -> tuple[JsonMode | None, Mapping[str, Any] | None]:
    match given:
        case {"type": "text"}:
            return None, None
        case {"type": "json_schema", "json_schema": {"name": str(), "schema": dict(schema)}}:
            return "json_schema", schema
        case {"type": "json_object"}:
            return "json_object", None
    raise ApiError(400, f"Invalid 'response_format': {given!r}.", param="response_format")


def _image(part: Mapping[str, Any]) -> bytes:
    match part:
        case {"image_url": {"url": str(url)}} if url.startswith(_PNG_URL):
            return b64decode(url.removeprefix(_PNG_URL), validate=True)
    raise ApiError(400, "Invalid 'image_url': a PNG as data URL is expected.", param="messages")
