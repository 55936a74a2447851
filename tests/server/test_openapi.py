"""The API's description: complete, with examples that are what they say, and held to by the server."""

from typing import Any

import jsonschema
import pytest

from tests.server.operations import described

API = described()
SCHEMAS: dict[str, Any] = API["components"]["schemas"]
OPERATIONS = {f"{method} {path}": told for path, all_of in API["paths"].items() for method, told in all_of.items()}
each = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS.keys())


@each
def test_every_operation_says_what_it_is_and_what_may_go_wrong(operation: dict[str, Any]) -> None:
    assert operation["summary"] and operation["description"] and operation["tags"]
    for status in ("401", "404", "422"):
        assert list(operation["responses"][status]["content"]) == ["application/problem+json"]


def test_operations_have_names_of_their_own() -> None:
    assert len({operation["operationId"] for operation in OPERATIONS.values()}) == len(OPERATIONS)


@each
def test_what_is_sent_in_json_has_an_example(operation: dict[str, Any]) -> None:
    told = [operation.get("requestBody", {}).get("content", {})]
    told += [one.get("content", {}) for status, one in operation["responses"].items() if status < "400"]
    for content in told:
        schema = content.get("application/json", {}).get("schema", {})
        if "$ref" in schema:
            assert SCHEMAS[schema["$ref"].rpartition("/")[2]]["examples"]


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if "examples" in schema])
def test_examples_are_what_they_are_examples_of(name: str) -> None:
    whole = {"components": API["components"], "$ref": f"#/components/schemas/{name}"}
    for example in SCHEMAS[name]["examples"]:
        jsonschema.validate(example, whole)
