"""Error responses as problem details (RFC 9457).

Messages of core errors may name paths and addresses of this machine, so they go to the log; the client receives a
fixed text for the class of the error. Only the message of a :class:`ProblemError` is sent to clients as it is.
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
    DecisionRefused,
    EmbedderMismatch,
    FolderMissing,
    ModelUnavailable,
    NoReply,
    NotFound,
    PolyadicError,
    SettingsError,
    StoreBusy,
    StoreError,
    WeightsMissing,
)
from polyadic.server.json_logging import log_event

_LOG = logging.getLogger(__name__)
_OPENAI_PATHS = ("/v1/chat/", "/v1/embeddings", "/v1/models")
_ERRORS_SHOWN = 20


class ProblemError(HTTPException):
    """A refused request, with a message for the client.

    The message must not name paths or addresses of this machine.

    Parameters
    ----------
    status
        HTTP status code.
    kind
        Last part of the problem type, hyphenated words.
    detail
        What is wrong, as a sentence without a full stop.
    headers
        Headers of the response.
    """

    def __init__(self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.kind = kind


class ParameterError(ProblemError):
    """A request with a parameter value that is not supported; OpenAI's clients get the name of the parameter."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(400, "unsupported-value", f"{parameter}: {detail}")
        self.parameter = parameter


def no_such_workspace() -> ProblemError:
    """Build the 404 for an unknown, invalid or unauthorized workspace name, or an unknown path.

    All of these give the same response, so that a client cannot find out which workspaces exist.
    """
    return ProblemError(404, "nothing-here", "not found, or your key has no access to it")


def filtered_key() -> ProblemError:
    """Build the 403 for a request that concerns all documents, by a key with a document filter."""
    return ProblemError(403, "filtered-key", "this concerns all documents: use a key without a document filter")


def not_found(what: str) -> ProblemError:
    return ProblemError(404, "not-found", f"the workspace has no {what} with this identifier")


_KINDS: Mapping[type[PolyadicError], tuple[int, str, str]] = {
    NotFound: (404, "not-found", "the workspace has no such item"),
    FolderMissing: (409, "folder-missing", "the folder is missing: its documents are kept until it is back"),
    StoreBusy: (409, "workspace-busy", "another job is writing to the workspace: retry when it has finished"),
    EmbedderMismatch: (503, "workspace-unusable", "the workspace was indexed with a different embedding model"),
    StoreError: (503, "workspace-unusable", "the workspace's store is unavailable"),
    WeightsMissing: (503, "embedder-missing", "the embedding model has not been downloaded to the server"),
    ModelUnavailable: (503, "model-unavailable", "a model that the workspace uses is unavailable"),
    NoReply: (502, "no-reply", "the language model gave no usable reply"),
    DecisionRefused: (409, "decision-refused", "the decision contradicts itself or an earlier one"),
    SettingsError: (409, "not-configured", "the settings of the workspace do not allow this"),
}
_RETRY = {409: "2", 503: "5"}
_FINAL = ("not-configured", "decision-refused")
"""Kinds of problems that a retry does not solve."""


def install(app: FastAPI) -> None:
    """Register handlers that answer every error of an application with problem details."""
    for error, handler in (
        (HTTPException, _of_http),
        (RequestValidationError, _of_validation),
        (PolyadicError, _of_core),
    ):
        app.add_exception_handler(error, handler)


def problem(
    scope: Scope,
    status: int,
    kind: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    parameter: str | None = None,
    **more: Any,
) -> Response:
    """Build a problem details response; on OpenAI paths the body also has an ``error`` member in OpenAI's form.

    ``parameter`` is the name of the invalid parameter in that form, ``more`` further members of the problem.
    """
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
        body["error"] = openai_error(status, kind, detail, parameter)
    return JSONResponse(body, status, dict(headers or {}), "application/problem+json")


def openai_error(status: int, kind: str, detail: str, parameter: str | None = None) -> dict[str, Any]:
    """Build an error in OpenAI's form.

    >>> openai_error(404, "nothing-here", "not found")
    {'message': 'not found', 'type': 'invalid_request_error', 'param': None, 'code': 'nothing-here'}
    """
    type_ = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    return {"message": detail, "type": type_, "param": parameter, "code": kind}


def of_core(error: PolyadicError) -> tuple[int, str, str]:
    """Return status, kind and message for a core error."""
    for kind in type(error).__mro__:
        if kind in _KINDS:
            return _KINDS[kind]
    return 500, "defect", "internal error: the server log has details"


def _of_core(request: Request, error: Exception) -> Response:
    assert isinstance(error, PolyadicError)  # noqa: S101 - the handler is registered for this class only
    status, kind, detail = of_core(error)
    log_event(
        _LOG, logging.WARNING, "problem", request.scope, kind=kind, error=type(error).__name__, message=str(error)
    )
    headers = {"Retry-After": _RETRY[status]} if status in _RETRY and kind not in _FINAL else {}
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
    parameter = error.parameter if isinstance(error, ParameterError) else None
    return problem(request.scope, error.status_code, kind, str(error.detail), error.headers, parameter)


def _of_validation(request: Request, error: Exception) -> Response:
    """List validation errors without the rejected values: these may be anything, even a key."""
    assert isinstance(error, RequestValidationError)  # noqa: S101
    details = [
        {"where": "/".join(str(part) for part in item["loc"]), "what": item["msg"]}
        for item in error.errors()[:_ERRORS_SHOWN]
    ]
    parameter = next((one["where"].removeprefix("body/") for one in details), None)
    return problem(
        request.scope,
        422,
        "invalid-request",
        "the request does not match the API description",
        parameter=parameter,
        errors=details,
    )
