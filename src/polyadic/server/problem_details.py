"""What a client is told when something goes wrong: problem details (RFC 9457).

What an error of the core says names paths and addresses of this machine, so it goes to the log; a client reads the
text of its kind. Only what :class:`ProblemError` says was written for clients.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from polyadic.errors import (
    EmbedderMismatch,
    ModelUnavailable,
    NoReply,
    NotFound,
    PolyadicError,
    SettingsError,
    StoreBusy,
    StoreError,
    WeightsMissing,
)
from polyadic.server.logs import log_event

_LOG = logging.getLogger(__name__)
_OPENAI_PATHS = ("/v1/chat/", "/v1/models")
_ERRORS_SHOWN = 20


class ProblemError(HTTPException):
    """A request that cannot be granted; what it says is for the client, so it names nothing of this machine.

    Parameters
    ----------
    status
        Of HTTP.
    kind
        The last part of the problem's type, in words with hyphens.
    detail
        What is the matter, as a sentence without a full stop.
    headers
        To be sent with it.
    """

    def __init__(self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.kind = kind


def no_such_workspace() -> ProblemError:
    """The same for a name that is unknown, of somebody else, or none at all, and for an address that leads nowhere."""
    return ProblemError(404, "nothing-here", "there is nothing here that your key opens")


def not_found(what: str) -> ProblemError:
    return ProblemError(404, "not-found", f"the workspace has no {what} with this identifier")


_KINDS: Mapping[type[PolyadicError], tuple[int, str, str]] = {
    NotFound: (404, "not-found", "nothing in the workspace answers to this"),
    StoreBusy: (409, "workspace-busy", "documents are being written to the workspace: try again when that has ended"),
    EmbedderMismatch: (503, "workspace-unusable", "the workspace was filled with another embedding model"),
    StoreError: (503, "workspace-unusable", "the workspace's store cannot be used"),
    WeightsMissing: (503, "embedder-missing", "the embedding model is not on the server yet"),
    ModelUnavailable: (503, "model-unavailable", "a model of the workspace is not to be had"),
    NoReply: (502, "no-reply", "the language model gave no usable reply"),
    SettingsError: (409, "not-configured", "the settings of the workspace do not allow this"),
}
_RETRY = {409: "2", 503: "5"}


def install(app: FastAPI) -> None:
    """Have every error of an application answered with problem details."""
    for error, answer in (
        (HTTPException, _of_http),
        (RequestValidationError, _of_validation),
        (PolyadicError, _of_core),
    ):
        app.add_exception_handler(error, answer)


def problem(
    scope: Scope,
    status: int,
    kind: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """Problem details as a response; OpenAI's clients find their own form of an error beside."""
    title = HTTPStatus(status).phrase
    body = {
        "type": f"urn:polyadic:problem:{kind}",
        "title": title,
        "status": status,
        "detail": detail,
        "request_id": scope.get("state", {}).get("request_id", ""),
        **more,
    }
    if str(scope.get("path", "")).startswith(_OPENAI_PATHS):
        body["error"] = {"message": detail, "type": kind.replace("-", "_"), "param": None, "code": kind}
    return JSONResponse(body, status, dict(headers or {}), "application/problem+json")


def of_core(error: PolyadicError) -> tuple[int, str, str]:
    """Status, kind and text for an error of the core."""
    for kind in type(error).__mro__:
        if kind in _KINDS:
            return _KINDS[kind]
    return 500, "defect", "the server could not do this"


def _of_core(request: Request, error: Exception) -> Response:
    assert isinstance(error, PolyadicError)  # noqa: S101 - registered for these alone
    status, kind, detail = of_core(error)
    log_event(_LOG, logging.WARNING, "problem", request.scope, kind=kind, error=type(error).__name__, said=str(error))
    headers = {"Retry-After": _RETRY[status]} if status in _RETRY and kind != "not-configured" else {}
    return problem(request.scope, status, kind, detail, headers)


def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    if error.status_code == HTTPStatus.NOT_FOUND and not isinstance(error, ProblemError):
        error = no_such_workspace()
    kind = (
        error.kind
        if isinstance(error, ProblemError)
        else HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
    )
    return problem(request.scope, error.status_code, kind, str(error.detail), error.headers)


def _of_validation(request: Request, error: Exception) -> Response:
    """What is wrong with a request, without what it said: that may be anything, a key as well."""
    assert isinstance(error, RequestValidationError)  # noqa: S101
    found = [
        {"where": "/".join(str(part) for part in one["loc"]), "what": one["msg"]}
        for one in error.errors()[:_ERRORS_SHOWN]
    ]
    return problem(request.scope, 422, "invalid-request", "the request is not as the API describes it", errors=found)
