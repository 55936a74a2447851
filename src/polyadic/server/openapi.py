"""OpenAPI description of the server: operation ids, the errors of each operation, and examples."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from polyadic.server.openapi_examples import EXAMPLES
from polyadic.server.schemas import Problem

_DESCRIPTIONS = {
    400: "the body cannot be read",
    401: "the API key is missing or unknown",
    403: "the key is read-only or has a document filter, or requests from this origin are not allowed",
    404: "not found, no access with this key, or no such identifier in the workspace",
    408: "the rest of the body did not arrive in time",
    409: "another job is writing to the workspace, or its state or settings do not allow this",
    413: "the body is too large",
    415: "the media type or file type is not supported",
    422: "the request does not match this description",
    502: "a model of the workspace gave no usable reply",
    503: "too many requests at once, or a model or the store is unavailable",
    504: "the request took longer than the server allows",
    507: "the server's disk is full",
}
_UNCHECKED = {"type", "title", "description", "examples", "default"}
_ARTICLES = {"a", "an", "the"}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the ``responses`` of a route that can fail in these ways, besides those that its parameters imply."""
    return {status: {"description": _DESCRIPTIONS[status]} for status in statuses}


def operation_id(route: APIRoute) -> str:
    """Return the id of an operation, which its summary gives: "Get a document" is ``get_document``."""
    words = re.findall(r"[a-z]+", (route.summary or route.name).lower())
    return "_".join(word for word in words if word not in _ARTICLES)


def add_openapi_details(app: FastAPI) -> None:
    """Add examples to an application's OpenAPI description, and the errors that each operation can give."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            schemas = document["components"]["schemas"]
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            for name, example in EXAMPLES.items():
                schemas[name]["examples"] = [example]
            for path, methods in document["paths"].items():
                for operation in methods.values():
                    _describe_errors(path, operation)
            app.openapi_schema = document
        return app.openapi_schema

    # The way FastAPI documents for changing the description.
    app.openapi = openapi  # type: ignore[method-assign]


def _describe_errors(path: str, operation: dict[str, Any]) -> None:
    """Replace the error responses of an operation by those it can give, as problem details."""
    responses = operation["responses"]
    declared = {int(status) for status in responses if int(status) >= HTTPStatus.BAD_REQUEST}
    # FastAPI adds 422 to every operation with a parameter, even one that takes any text.
    implied = set(_implied_errors(path, operation))
    for status in declared:
        del responses[str(status)]
    for status in sorted((declared - {422}) | implied):
        responses[str(status)] = {
            "description": _DESCRIPTIONS[status],
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }


def _implied_errors(path: str, operation: dict[str, Any]) -> Iterator[int]:
    # Origins are checked for every request, and all connections may be in use.
    yield from (403, 503)
    if "security" in operation:
        yield 401
        if "{workspace}" in path:
            yield from (404, 409)
    body = operation.get("requestBody", {}).get("content", {})
    if body:
        yield from (400, 408, 413, 422)
    if "multipart/form-data" in body:
        yield from (415, 507)
    if any(_is_checked(parameter["schema"]) for parameter in operation.get("parameters", ())):
        yield 422


def _is_checked(schema: dict[str, Any]) -> bool:
    """Return whether some text is not a valid value."""
    if "anyOf" in schema:
        return all(_is_checked(option) for option in schema["anyOf"] if option.get("type") != "null")
    return schema.get("type") != "string" or bool(set(schema) - _UNCHECKED)
