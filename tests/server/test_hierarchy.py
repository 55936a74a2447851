"""The hierarchy over HTTP: built by a job, read as two trees in pages, without what is stale."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.workspace import Workspace
from tests.model_server import ModelServer, Status, ready
from tests.server.running_server import ADA, BABBAGE, finished, make, running

pytest.importorskip("sklearn", reason="building a hierarchy needs the extra hierarchy")
pytestmark = pytest.mark.slow
EXAMPLE = Path(__file__).parents[2] / "examples" / "spaceflight"
HIERARCHY = "/v1/workspaces/space/hierarchy"
NOBODY = "0" * 32


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A workspace of short articles, with a hierarchy of names and facts."""
    folder = tmp_path_factory.mktemp("space")
    with running(folder) as server, server.client() as client:
        make(client, "space", *[file.read_text() for file in sorted(EXAMPLE.glob("*.md"))[:6]])
        with Workspace(folder / "space") as kb:
            kb.hierarchy.build(by="extractive")
        yield client


def below(client: httpx2.Client, tree: str, under: str | None) -> list[dict[str, Any]]:
    """All nodes below one, seven a page."""
    found: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        query: dict[str, Any] = {"tree": tree, "start": start, "limit": 7} | ({"under": under} if under else {})
        page = client.get(f"{HIERARCHY}/nodes", params=query).json()
        found += page["nodes"]
        start = page["next"]
    assert page["total"] == len(found)
    return found


def test_hierarchy_status_is_shown(space: httpx2.Client) -> None:
    body = space.get(HIERARCHY).json()
    assert body["installed"] and body["built"] and body["unplaced"] == 0 and body["state"] == "built"
    assert 0 < body["entities"] < space.get("/v1/workspaces/space").json()["counts"]["entities"]
    assert body["layers"][0]["items"] == body["entities"] and body["layers"][0]["stale"] == 0
    first = space.get(HIERARCHY, params={"limit": 1}).json()
    for tree in ("summaries", "communities"):
        assert body[tree]["nodes"] == below(space, tree, None)[:50]
        assert first[tree]["nodes"] == body[tree]["nodes"][:1] and first[tree]["total"] == body[tree]["total"]


def test_the_tree_of_summaries_leads_to_every_entity(space: httpx2.Client) -> None:
    top = below(space, "summaries", None)
    assert [one["level"] for one in top] == sorted((one["level"] for one in top), reverse=True)
    seen, pending = set(), top
    while pending:
        node = pending.pop()
        assert node["by"] == ("" if node["kind"] == "entity" else "extractive")
        if node["kind"] == "entity":
            seen.add(node["id"])
            continue
        under = below(space, "summaries", node["id"])
        assert len(under) == node["branches"] == node["members"]
        assert {one["level"] for one in under} == {node["level"] - 1}
        pending += under
    outline = space.get(HIERARCHY).json()
    assert (len(seen), outline["unplaced"]) == (outline["entities"], 0)
    assert len(seen) < space.get("/v1/workspaces/space").json()["counts"]["entities"], "dates are in no cluster"


def test_a_summary_says_what_it_covers(space: httpx2.Client) -> None:
    node = below(space, "summaries", None)[0]
    shown = space.get(f"{HIERARCHY}/summaries/{node['id']}").json()
    assert shown["node"] == node and shown["description"]
    assert [one["id"] for one in shown["covers"]] == [one["id"] for one in below(space, "summaries", node["id"])][:100]


def test_communities_have_parts_and_reports_with_facts(space: httpx2.Client) -> None:
    top = below(space, "communities", None)
    parts = [part for one in top for part in below(space, "communities", one["id"])]
    assert {one["level"] for one in top} == {0} and {one["level"] for one in parts} <= {1}
    assert len(parts) == sum(one["branches"] for one in top)
    shown = space.get(f"{HIERARCHY}/communities/{top[0]['id']}").json()
    assert shown["node"] == top[0] and shown["node"]["name"] and shown["entities"]
    fact = next(fact for finding in shown["findings"] for fact in finding["facts"])
    assert space.get(f"/v1/workspaces/space/facts/{fact['id']}").json()["fact"] == fact


@pytest.mark.parametrize(
    "path",
    [f"summaries/{NOBODY}", f"communities/{NOBODY}", f"nodes?under={NOBODY}", f"nodes?tree=communities&under={NOBODY}"],
)
def test_missing_nodes_return_404(space: httpx2.Client, path: str) -> None:
    assert space.get(f"{HIERARCHY}/{path}").status_code == 404


def test_stale_nodes_are_left_out(tmp_path: Path) -> None:
    with running(tmp_path / "served") as server, server.client() as client:
        documents = make(client, "space", *[file.read_text() for file in sorted(EXAMPLE.glob("*.md"))[:3]])
        with Workspace(server.folder / "space") as kb:
            kb.hierarchy.build(by="extractive")
        before = {one["id"]: one for tree in ("summaries", "communities") for one in below(client, tree, None)}
        assert client.delete(f"/v1/workspaces/space/documents/{documents[0]}").status_code == 204
        with Workspace(server.folder / "space") as kb, kb.store().read() as reader:
            held = reader.records.hierarchy()
        stale = {one.id for one in held.communities if one.stale}
        ids = {one["id"] for tree in ("summaries", "communities") for one in below(client, tree, None)}
        assert stale & set(before) and not stale & ids
        gone = next(iter(stale & set(before)))
        assert client.get(f"{HIERARCHY}/communities/{gone}").status_code == 404
        body = client.get(HIERARCHY).json()
        assert body["layers"][0]["stale"] > 0 and body["state"] == "outdated"


def test_missing_hierarchy_is_reported(client: httpx2.Client) -> None:
    body = client.get("/v1/workspaces/letters/hierarchy").json()
    assert (body["built"], body["summaries"]["nodes"], body["communities"]["total"]) == (False, [], 0)
    assert body["state"] == "none"


def build(client: httpx2.Client, **options: Any) -> dict[str, Any]:
    """The job that builds the hierarchy, once it has ended."""
    reply = client.post(HIERARCHY, params=options)
    assert reply.status_code == 202, reply.text
    assert reply.headers["location"] == f"/v1/workspaces/space/jobs/{reply.json()['id']}"
    return finished(client, "space", reply.json()["id"])


def test_a_job_builds_and_rebuilds_the_hierarchy(tmp_path: Path) -> None:
    texts = [file.read_text() for file in sorted(EXAMPLE.glob("*.md"))[:3]]
    with running(tmp_path / "served") as server, server.client() as client:
        documents = make(client, "space", *texts)
        job = build(client)
        assert (job["state"], job["request"]["kind"], job["documents"]) == ("succeeded", "hierarchy", 0)
        assert job["report"]["by"] == "extractive" and job["report"]["reports_written"] > 0
        assert job["progress"]["step"] and job["progress"]["pieces"] >= job["progress"]["pieces_written"]
        assert client.get(HIERARCHY).json()["state"] == "built"
        client.delete(f"/v1/workspaces/space/documents/{documents[0]}")
        assert client.get(HIERARCHY).json()["state"] == "outdated"
        again = build(client, rebuild=True)
        assert again["request"]["rebuild"] and again["report"]["rebuilt"] and again["report"]["changed"]
        assert client.get(HIERARCHY).json()["state"] == "built"


@pytest.fixture
def by_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that writes summaries and reports; documents are read without it."""
    with ModelServer([*ready()]) as server:
        for name, value in {
            "MODEL__NAME": "recorded",
            "MODEL__BASE_URL": server.url,
            "MODEL__KEY_VARIABLE": "",
            "MODEL__RETRIES": "0",
            "EXTRACTION__EXTRACTOR": "sentences",
        }.items():
            monkeypatch.setenv(f"POLYADIC_{name}", value)
        yield server


def test_a_build_by_a_model_stops_at_its_limit_and_is_resumed(tmp_path: Path, by_model: ModelServer) -> None:
    texts = [file.read_text() for file in sorted(EXAMPLE.glob("*.md"))[:3]]
    with running(tmp_path / "served") as server, server.client() as client:
        make(client, "space", *texts)
        stopped = build(client, by="model", spend_tokens=0)
        assert stopped["state"] == "partly" and stopped["problem"] and not by_model.asked
        assert client.get(HIERARCHY).json()["state"] == "none"
        refused = client.post(HIERARCHY, params={"budget": 1})
        assert (refused.status_code, refused.json()["type"].rpartition(":")[2]) == (409, "not-configured")
        by_model.misbehave(Status(500), on=[1])
        partly = build(client)
        assert partly["state"] == "partly" and by_model.url not in str(partly)
        client.post(f"/v1/workspaces/space/jobs/{partly['id']}/resume")
        ended = finished(client, "space", partly["id"])
        assert ended["state"] == "succeeded" and ended["report"]["by"] == "recorded"
        purposes = client.get("/v1/workspaces/space/ledger").json()["purposes"]
        assert {"summarize", "report"} <= {one["purpose"] for one in purposes}


def test_a_hierarchy_that_cannot_be_built_is_refused(tmp_path: Path) -> None:
    with running(tmp_path / "served") as server, server.client() as client:
        make(client, "space", ADA, BABBAGE)
        refused = client.post(HIERARCHY, params={"by": "model"})
        assert (refused.status_code, refused.json()["type"].rpartition(":")[2]) == (409, "not-configured")
        assert client.post(HIERARCHY, params={"by": "http://localhost"}).status_code == 422
        assert len(client.get("/v1/workspaces/space/jobs").json()["jobs"]) == 1
