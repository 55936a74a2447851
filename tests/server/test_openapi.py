"""The API's description: complete, with examples that are what they say, and held to by the server."""

import re
from typing import Any

import jsonschema
import pytest

from tests.server.operations import described

API = described()
SCHEMAS: dict[str, Any] = API["components"]["schemas"]
OPERATIONS = {
    f"{method.upper()} {path}": described
    for path, all_of in API["paths"].items()
    for method, described in all_of.items()
}


def test_operations_have_descriptions_and_error_responses() -> None:
    for name, operation in OPERATIONS.items():
        assert operation["summary"] and operation["description"] and operation["tags"], name
        for status in (status for status in operation["responses"] if status >= "400"):
            assert list(operation["responses"][status]["content"]) == ["application/problem+json"], (name, status)


@pytest.mark.parametrize(
    ("operation", "possible", "impossible"),
    [
        ("GET /health", {"403", "503"}, {"401", "404", "422"}),
        ("GET /v1/workspaces/{workspace}", {"401", "404", "409"}, {"400", "413", "422", "502", "504", "507"}),
        ("POST /v1/workspaces/{workspace}/query", {"400", "408", "413", "422", "502", "504"}, {"415", "507"}),
        ("POST /v1/workspaces/{workspace}/documents/files", {"408", "413", "415", "422", "507"}, {"502", "504"}),
        ("GET /v1/workspaces/{workspace}/documents", {"401", "422"}, {"400", "413", "415", "502", "504", "507"}),
        ("GET /v1/workspaces/{workspace}/documents/{document}/pages", {"404", "503", "504"}, {"400", "413", "502"}),
        ("GET /v1/models", {"401", "403"}, {"404", "409", "422"}),
    ],
)
def test_operations_list_only_the_errors_they_give(operation: str, possible: set[str], impossible: set[str]) -> None:
    listed = set(OPERATIONS[operation]["responses"])
    assert possible <= listed and not impossible & listed


def test_operation_ids_are_unique_and_readable() -> None:
    ids = {operation["operationId"]: name for name, operation in OPERATIONS.items()}
    assert len(ids) == len(OPERATIONS)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+){1,7}", one) for one in ids)
    assert ids["get_document"] == "GET /v1/workspaces/{workspace}/documents/{document}"
    assert ids["upload_files"] == "POST /v1/workspaces/{workspace}/documents/files"
    assert ids["list_jobs"] == "GET /v1/workspaces/{workspace}/jobs"


def test_accepted_responses_announce_the_job() -> None:
    accepted = [one["responses"]["202"] for one in OPERATIONS.values() if "202" in one["responses"]]
    assert len(accepted) == 6 and all("Location" in response["headers"] for response in accepted)


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
