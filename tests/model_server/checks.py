"""What a request must keep to, beyond being well formed."""

from aiohttp import web

from tests.model_server.counting import prompt_tokens, truncated
from tests.model_server.errors import ApiError, too_long, unknown_model, wrong_key
from tests.model_server.schemas import check_format
from tests.model_server.settings import Settings
from tests.model_server.types import Asked

_TWINS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def check_key(settings: Settings, request: web.Request) -> None:
    """OpenAI's clients send a bearer token; Azure's clients send the key in a header of its own."""
    if "/deployments/" in request.path:
        given = request.headers.get("api-key")
    else:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if settings.key is not None and given != settings.key:
        raise wrong_key(given)


def check_azure_version(request: web.Request) -> None:
    if "/deployments/" in request.path and "api-version" not in request.query:
        raise ApiError(404, "Resource not found", "404")


def check_chat(settings: Settings, asked: Asked) -> None:
    if asked.model not in settings.models:
        raise unknown_model(asked.model)
    for name in settings.refuses:
        _check_parameter(name, asked)
    if asked.json_mode is not None:
        if asked.json_mode not in settings.json_modes:
            message = (
                f"Invalid parameter: 'response_format' of type '{asked.json_mode}' is not supported with this model."
            )
            raise ApiError(400, message, param="response_format")
        check_format(asked)


def within_context(settings: Settings, asked: Asked) -> tuple[Asked, int]:
    """What the model reads of a request, and how many tokens that has."""
    tokens, limit = prompt_tokens(asked.messages), settings.context_tokens
    if limit is None or tokens <= limit:
        return asked, tokens
    if not settings.truncates_silently:
        raise too_long(limit, tokens)
    read = truncated(asked, limit)
    return read, prompt_tokens(read.messages)


def _check_parameter(name: str, asked: Asked) -> None:
    value = asked.body.get(name)
    if value is None:
        return
    if name == "temperature":
        if value != 1:
            message = (
                f"Unsupported value: 'temperature' does not support {value} with this model. "
                "Only the default (1) value is supported."
            )
            raise ApiError(400, message, "unsupported_value", name)
        return
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    if name in _TWINS:
        message += f" Use '{_TWINS[name]}' instead."
    raise ApiError(400, message, "unsupported_parameter", name)
