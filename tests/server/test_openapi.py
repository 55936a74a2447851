"""The API's description: complete, with examples that are what they say, and held to by the server."""

from typing import Any

import jsonschema

from tests.server.operations import described

API = described()
SCHEMAS: dict[str, Any] = API["components"]["schemas"]
OPERATIONS = {
    f"{method} {path}": described for path, all_of in API["paths"].items() for method, described in all_of.items()
}


def test_operations_have_descriptions_and_error_responses() -> None:
    for name, operation in OPERATIONS.items():
        assert operation["summary"] and operation["description"] and operation["tags"], name
        for status in ("401", "404", "422"):
            assert list(operation["responses"][status]["content"]) == ["application/problem+json"], (name, status)


def test_operation_ids_are_unique() -> None:
    assert len({operation["operationId"] for operation in OPERATIONS.values()}) == len(OPERATIONS)


def test_json_request_bodies_have_examples() -> None:
    for operation in OPERATIONS.values():
        bodies = [operation.get("requestBody", {}).get("content", {})]
        bodies += [one.get("content", {}) for status, one in operation["responses"].items() if status < "400"]
        for content in bodies:
            schema = content.get("application/json", {}).get("schema", {})
            if "$ref" in schema:
                assert SCHEMAS[schema["$ref"].rpartition("/")[2]]["examples"]


def test_examples_match_their_schemas() -> None:
    for name, schema in SCHEMAS.items():
        whole = {"components": API["components"], "$ref": f"#/components/schemas/{name}"}
        for example in schema.get("examples", ()):
            jsonschema.validate(example, whole)
