"""Errors as OpenAI and Azure report them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class ApiError(Exception):
    """Ends a request with this status and OpenAI's JSON for errors."""

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    type: str = "invalid_request_error"
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message

    def response(self) -> web.Response:
        return web.json_response({"error": self.described()}, status=self.status, headers=self.headers)

    def described(self) -> dict[str, Any]:
        return {"message": self.message, "type": self.type, "param": self.param, "code": self.code}


def wrong_key(given: str | None) -> ApiError:
    if not given:
        return ApiError(401, "You didn't provide an API key.", "invalid_api_key")
    return ApiError(401, f"Incorrect API key provided: {given[:3]}***.", "invalid_api_key")


def unknown_model(name: str) -> ApiError:
    return ApiError(404, f"The model `{name}` does not exist or you do not have access to it.", "model_not_found")


def too_long(limit: int, tokens: int) -> ApiError:
    message = (
        f"This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    return ApiError(400, message, "context_length_exceeded", "messages")


def fault(message: str) -> ApiError:
    """What the test got wrong, not the client: no responder, or a reply that the request rules out."""
    return ApiError(500, f"tests.model_server: {message}", "test_server", type="server_error")
