"""Whatever is sent to whatever route: the server answers as its description says, and never with a defect."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from polyadic.server.server_limits import ServerLimits
from tests.server.operations import described
from tests.server.running_server import ADA, BABBAGE, Running, make, running

pytestmark = pytest.mark.slow
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# None is turned away because many came before it.
LIMITS = ServerLimits(jobs_waiting=1_000_000, workspaces=1_000_000)
# The drawn files have unsupported types, the named job has read everything, no entity has a drawn name, and there is no
# hierarchy.
NEVER_WELL = {
    ("GET", "/v1/workspaces/{workspace}/hierarchy/summaries/{summary}"),
    ("GET", "/v1/workspaces/{workspace}/hierarchy/communities/{community}"),
    ("GET", "/v1/workspaces/{workspace}/documents/{document}/pages/{number}"),
    ("GET", "/v1/workspaces/{workspace}/path"),
    ("POST", "/v1/workspaces/{workspace}/resolution/decisions"),
    ("POST", "/v1/workspaces/{workspace}/documents/files"),
    ("POST", "/documents/upload"),
    ("POST", "/documents/cancel_pipeline"),
    ("GET", "/documents/track_status/{track_id}"),
    ("POST", "/graph/entities/merge"),
    ("POST", "/graph/entity/edit"),
    ("POST", "/v1/workspaces/{workspace}/jobs/{job}/resume"),
}
# Below /lightrag/{workspace} are the same functions as at the root, which take the workspace from a header.
schema = schemathesis.openapi.from_dict(described()).exclude(path_regex="^/lightrag/")


@dataclass
class Fuzzed:
    """A server with a workspace, what is in it, the number of the request, and the routes that were asked."""

    server: Running
    known: dict[str, str]
    number: "itertools.count[int]"
    asked: set[tuple[str, str]] = field(default_factory=set)

    def asked_in_vain(self) -> set[tuple[str, str]]:
        """Routes that never did what they can do."""
        with self.server.client() as client:
            figures = client.get("/metrics").text
        return self.asked - set(re.findall(r'method="(\w+)",route="([^"]+)",status="2\d\d"', figures))


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """In the end all that was asked has to have gone well once: else the requests would show little."""
    with running(tmp_path_factory.mktemp("fuzzed"), limits=LIMITS) as server:
        with server.client() as client:
            # The first document is changed by what is drawn; what the second says stays.
            document, _ = make(client, "letters", ADA, BABBAGE)
            at = "/v1/workspaces/letters"
            known = {
                "workspace": "letters",
                "model": "letters",
                "document": document,
                "job": (job := client.get(f"{at}/jobs").json()["jobs"][0]["id"]),
                "track_id": job,
                "entity": client.get(f"{at}/entities?q=London").json()["entities"][0]["entity"]["id"],
                "fact": client.get(f"{at}/facts?q={BABBAGE}").json()["facts"][0]["fact"]["id"],
            }
        fuzzed = Fuzzed(server, known, itertools.count())
        yield fuzzed
        assert {one for one in fuzzed.asked_in_vain() if one[0] != "DELETE"} <= NEVER_WELL


@schema.parametrize()
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_any_request_gets_a_documented_response(case: schemathesis.Case[Any], fuzzed: Fuzzed) -> None:
    """What is drawn is in no workspace, so half of the time something is named that is there."""
    deletes = case.method == "DELETE"
    if deletes and case.path_parameters.get("workspace") == "letters":
        case.path_parameters["workspace"] = "sketches"
    elif not deletes and next(fuzzed.number) % 2:
        for name in fuzzed.known.keys() & case.path_parameters.keys():
            case.path_parameters[name] = fuzzed.known[name]
        if "id" in (case.query or {}) and "kind" in case.query:
            case.query |= {"id": fuzzed.known["entity"], "kind": "entity"}
        if isinstance(case.body, dict) and "model" in case.body:
            case.body["model"] = "letters"
        if "LIGHTRAG-WORKSPACE" in (case.headers or {}) or case.path.startswith(("/query", "/documents")):
            case.headers["LIGHTRAG-WORKSPACE"] = "letters"
    if case.method == case.operation.method.upper():
        fuzzed.asked.add((case.method, case.operation.path))
    response = case.call(base_url=fuzzed.server.url)
    case.validate_response(response, checks=CHECKS)
