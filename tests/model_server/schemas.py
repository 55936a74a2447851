"""JSON modes: what OpenAI demands of a schema, and whether a reply keeps to it."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.model_server.errors import ApiError, fault
from tests.model_server.types import Asked

_FORBIDDEN = ("allOf", "oneOf", "not", "if", "then", "else", "default", "dependentRequired", "patternProperties")
Path = tuple[str, ...]


def check_format(asked: Asked) -> None:
    """Refuse a response format as OpenAI does."""
    if asked.json_mode == "json_object" and "json" not in asked.text.casefold():
        message = (
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        )
        raise ApiError(400, message, param="messages")
    if asked.schema is not None:
        given = asked.body["response_format"]["json_schema"]
        if wrong := _wrong_with(json.dumps(asked.schema), bool(given.get("strict"))):
            message = f"Invalid schema for response_format '{given['name']}': {wrong}"
            raise ApiError(400, message, param="response_format")


def check_reply(asked: Asked, text: str) -> None:
    """A reply that the request rules out is the test's mistake."""
    if asked.json_mode is None:
        return
    try:
        value = json.loads(text)
    except ValueError as error:
        raise fault(f"the reply to a request in JSON mode is not JSON: {error}: {text[:200]!r}") from error
    if asked.schema is not None:
        for wrong in _validator(json.dumps(asked.schema)).iter_errors(value):
            where = "/".join(map(str, wrong.absolute_path)) or "the top"
            raise fault(f"the reply does not validate against the schema: {wrong.message} (at {where})")


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


@lru_cache(maxsize=64)
def _wrong_with(schema: str, strict: bool) -> str:
    """What OpenAI would complain of; empty if nothing."""
    given = json.loads(schema)
    try:
        Draft202012Validator.check_schema(given)
    except SchemaError as error:
        return error.message
    if not strict:
        return ""
    if given.get("type") != "object":
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: {given.get('type')!r}'."
    return next((f"In context={path}, {wrong}" for path, wrong in _complaints(given, ())), "")


def _complaints(schema: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    yield from ((path, f"'{name}' is not permitted.") for name in _FORBIDDEN if name in schema)
    if "$ref" in schema and len(schema) > 1:
        yield path, f"$ref cannot have keywords {sorted(schema.keys() - {'$ref'})}."
    properties = schema.get("properties", {})
    if schema.get("type") == "object" or properties:
        if schema.get("additionalProperties") is not False:
            yield path, "'additionalProperties' is required to be supplied and to be false."
        if missing := sorted(properties.keys() - set(schema.get("required", ()))):
            yield (
                path,
                (
                    "'required' is required to be supplied and to be an array including every key in properties. "
                    f"Missing '{missing[0]}'."
                ),
            )
    for below, inner in _inner(schema):
        yield from _complaints(inner, (*path, *below))


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for name in ("properties", "$defs", "definitions"):
        yield from (((name, key), inner) for key, inner in schema.get(name, {}).items())
    if isinstance(items := schema.get("items"), dict):
        yield ("items",), items
    yield from ((("anyOf", str(i)), inner) for i, inner in enumerate(schema.get("anyOf", ())))
