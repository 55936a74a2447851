"""What each route answers where all is well, and where something is not there."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.config import METHODS
from polyadic.model.types import Document
from polyadic.retrieval.registry import needs_model
from tests.server.running_server import ADA, QUESTION, Running, events, finished, make, wait_until

WORKSPACE = "/v1/workspaces/letters"
NOBODY = "0" * 32
NO_MODEL = "urn:polyadic:problem:no-language-model"


@pytest.mark.slow
def test_health_and_readiness(client: httpx2.Client) -> None:
    assert [client.get(path).json() for path in ("/health", "/ready")] == [{"status": "ok"}] * 2


def test_workspace_is_created_shown_and_deleted(client: httpx2.Client) -> None:
    made = client.post("/v1/workspaces", json={"name": "drafts"})
    assert (made.status_code, made.json()["counts"]["documents"]) == (201, 0)
    assert client.get("/v1/workspaces").json()["workspaces"] == ["drafts", "letters"]
    assert client.post("/v1/workspaces", json={"name": "drafts"}).status_code == 409
    assert client.delete("/v1/workspaces/drafts").status_code == 204
    assert client.get("/v1/workspaces/drafts").status_code == 404
    assert client.get("/v1/workspaces").json()["workspaces"] == ["letters"]


def test_an_empty_workspace_answers(client: httpx2.Client) -> None:
    make(client, "empty")
    asked = client.post("/v1/workspaces/empty/query", json={"question": QUESTION})
    assert (asked.status_code, asked.json()["answered"]) == (200, False)
    for path in ("documents", "entities", "facts", "jobs", "ledger", "export"):
        assert client.get(f"/v1/workspaces/empty/{path}").status_code == 200
    assert client.delete("/v1/workspaces/empty").status_code == 204


def test_workspace_shows_its_counts(client: httpx2.Client) -> None:
    body = client.get(WORKSPACE).json()
    assert body["counts"]["documents"] == 2
    assert (body["embedder"], body["model"], body["access"]) == ("hashing-384", "", "write")


def test_documents_are_paginated(client: httpx2.Client) -> None:
    first = client.get(f"{WORKSPACE}/documents", params={"limit": 1}).json()
    second = client.get(f"{WORKSPACE}/documents", params={"limit": 1, "after": first["next"]}).json()
    sources = [page["documents"][0]["source"] for page in (first, second)]
    assert (sources, first["total"], second["next"]) == (["memory:0", "memory:1"], 2, "")
    assert client.get(f"{WORKSPACE}/documents", params={"search": "memory:1"}).json()["total"] == 1
    assert client.get(f"{WORKSPACE}/documents", params={"after": "!"}).status_code == 422


def test_document_and_span_are_shown(client: httpx2.Client) -> None:
    record = client.get(f"{WORKSPACE}/documents", params={"search": "memory:0"}).json()["documents"][0]
    path = f"{WORKSPACE}/documents/{record['id']}"
    assert client.get(path).json() == record
    text = client.get(f"{path}/text")
    assert (text.text, text.headers["content-type"]) == (ADA, "text/plain; charset=utf-8")
    span = client.get(f"{path}/span", params={"start": 4, "end": 12}).json()
    assert (span["before"], span["text"], span["after"]) == ("Ada ", "Lovelace", ADA[12:])
    assert client.get(f"{path}/span", params={"start": 4, "end": 12_000}).status_code == 422


@pytest.mark.slow
def test_document_is_added_changed_and_deleted(client: httpx2.Client) -> None:
    [document] = make(client, "changing", ADA)
    path = f"/v1/workspaces/changing/documents/{document}"
    job = client.put(path, json={"text": "Mary Somerville taught Ada Lovelace in Chelsea.", "title": "Mary"})
    assert (job.status_code, finished(client, "changing", job.json()["id"])["state"]) == (202, "succeeded")
    changed = client.get(path).json()
    assert (changed["source"], changed["title"]) == ("memory:0", "Mary")
    assert "1843" not in client.get("/v1/workspaces/changing/export").text
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404
    assert client.delete("/v1/workspaces/changing").status_code == 204


@pytest.mark.slow
def test_uploaded_files_are_indexed(client: httpx2.Client) -> None:
    make(client, "files")
    files = [("files", ("ada.md", f"# Ada\n\n{ADA}")), ("files", ("rows.csv", "id,text\n7,Ada met Charles Babbage.\n"))]
    job = client.post("/v1/workspaces/files/documents/files", files=files).json()
    ended = finished(client, "files", job["id"])
    assert (ended["state"], ended["documents"], ended["report"]["added"]) == ("succeeded", 2, 2)
    records = client.get("/v1/workspaces/files/documents").json()["documents"]
    assert [record["source"] for record in records] == ["upload:ada.md", "upload:rows.csv#7"]
    again = client.post("/v1/workspaces/files/documents/files", files=files).json()
    assert finished(client, "files", again["id"])["report"]["unchanged"] == 2


@pytest.mark.slow
def test_unreadable_upload_is_reported_by_its_name(client: httpx2.Client, server: Running) -> None:
    make(client, "unread")
    job = client.post("/v1/workspaces/unread/documents/files", files={"files": ("a.pdf", b"no pdf")}).json()
    ended = finished(client, "unread", job["id"])
    [skipped] = ended["report"]["skipped"]
    assert (ended["state"], skipped["source"]) == ("partly", "upload:a.pdf")
    assert str(server.folder) not in str(ended)


def test_an_answer_with_citations(client: httpx2.Client) -> None:
    answer = client.post(f"{WORKSPACE}/query", json={"question": QUESTION}).json()
    place = answer["citations"][0]["place"]
    assert answer["answered"] and place["quote"] in ADA and answer["trace"]
    assert ADA[place["span"]["start"] : place["span"]["end"]] == place["quote"]


def test_answer_is_streamed(client: httpx2.Client) -> None:
    reply = client.post(f"{WORKSPACE}/query/stream", json={"question": QUESTION})
    sent = events(reply.text)
    names = [name for name, _ in sent]
    whole = dict(sent)["answer"]
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert names.index("step") < names.index("token") < names.index("citation") < names.index("answer")
    assert "".join(content["text"] for name, content in sent if name == "token") == whole["text"]
    assert [content for name, content in sent if name == "citation"] == whole["citations"]
    assert sorted(str(step) for name, step in sent if name == "step") == sorted(map(str, whole["trace"]))


def test_retrieval_without_an_answer(client: httpx2.Client) -> None:
    found = client.post(f"{WORKSPACE}/retrieve", json={"question": QUESTION, "method": "walk"}).json()
    assert found["method"] == "walk" and any(item["kind"] == "fact" for item in found["items"])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers(client: httpx2.Client, method: str) -> None:
    reply = client.post(f"{WORKSPACE}/query", json={"question": QUESTION, "method": method})
    if needs_model(method):
        assert (reply.status_code, reply.json()["type"]) == (409, NO_MODEL)
    else:
        assert reply.status_code == 200 and reply.json()["knowledge"]["method"]


def test_filter_omits_facts_of_other_documents(client: httpx2.Client) -> None:
    documents = client.get(f"{WORKSPACE}/documents").json()["documents"]
    other = documents[1]["id"]
    found = client.post(f"{WORKSPACE}/retrieve", json={"question": QUESTION, "only": {"documents": [other]}})
    texts = [item["text"] for item in found.json()["items"]]
    assert texts and not any("1843" in text for text in texts)
    unknown = {"question": QUESTION, "only": {"documents": [NOBODY]}}
    assert client.post(f"{WORKSPACE}/query", json=unknown).status_code == 422
    nothing = {"question": QUESTION, "only": {"where": {"year": "1999"}}}
    assert client.post(f"{WORKSPACE}/query", json=nothing).status_code == 404


@pytest.mark.parametrize("options", [{"by": "model"}, {"think": True}, {"effort": "high"}, {"check_claims": True}])
def test_model_options_are_refused_without_a_model(client: httpx2.Client, options: dict[str, Any]) -> None:
    for path in ("query", "query/stream"):
        reply = client.post(f"{WORKSPACE}/{path}", json={"question": QUESTION, **options})
        assert (reply.status_code, reply.json()["type"]) == (409, NO_MODEL)


def test_method_that_needs_a_model_is_refused_without_one(client: httpx2.Client) -> None:
    for path in ("query", "query/stream", "retrieve"):
        reply = client.post(f"{WORKSPACE}/{path}", json={"question": QUESTION, "method": "kag"})
        assert (reply.status_code, reply.json()["type"]) == (409, NO_MODEL)
        assert "the method kag needs a language model" in reply.json()["detail"]


def test_entities_and_facts_are_found_and_shown(client: httpx2.Client) -> None:
    found = client.get(f"{WORKSPACE}/entities", params={"q": "ada lovelace"}).json()["entities"][0]
    assert (found["entity"]["name"], found["similarity"]) == ("Ada Lovelace", None)
    shown = client.get(f"{WORKSPACE}/entities/{found['entity']['id']}").json()
    assert shown["entity"] == found["entity"] and len(shown["facts"]) == 2
    fact = client.get(f"{WORKSPACE}/facts", params={"q": "the first published program"}).json()["facts"][0]["fact"]
    detail = client.get(f"{WORKSPACE}/facts/{fact['id']}").json()
    assert detail["places"][0]["quote"] in ADA and len(detail["entities"]) >= 2
    most = client.get(f"{WORKSPACE}/entities", params={"limit": 1}).json()["entities"]
    assert most[0]["entity"]["facts"] == 2


@pytest.mark.parametrize("hops", [0, 1, 2])
def test_neighbourhood_contains_complete_facts(client: httpx2.Client, hops: int) -> None:
    entity = client.get(f"{WORKSPACE}/entities", params={"q": "London"}).json()["entities"][0]["entity"]
    where = {"kind": "entity", "id": entity["id"], "hops": hops}
    around = client.get(f"{WORKSPACE}/neighbourhood", params=where).json()
    known = {one["id"] for one in around["entities"]}
    assert entity["id"] in known and len(around["facts"]) == hops and around["complete"]
    for edge in around["facts"]:
        assert set(edge["entities"]) <= known and len(edge["entities"]) == len(edge["fact"]["entities"])
    few = client.get(f"{WORKSPACE}/neighbourhood", params=where | {"limit": 1}).json()
    assert (len(few["entities"]), few["facts"], few["complete"]) == (1, [], hops == 0)


def test_a_neighbourhood_is_bounded(client: httpx2.Client) -> None:
    fact = client.get(f"{WORKSPACE}/facts").json()["facts"][0]["fact"]
    where = {"kind": "fact", "id": fact["id"], "hops": 1}
    around = client.get(f"{WORKSPACE}/neighbourhood", params=where).json()
    assert len(around["facts"]) == 2
    assert client.get(f"{WORKSPACE}/neighbourhood", params=where | {"limit": 100_000}).status_code == 422


@pytest.mark.parametrize(("limit", "whole"), [(1, False), (4, False), (150, True)])
def test_overview_starts_with_the_best_connected_entities(client: httpx2.Client, limit: int, whole: bool) -> None:
    shown = client.get(f"{WORKSPACE}/overview", params={"limit": limit}).json()
    entities = client.get(f"{WORKSPACE}/entities").json()["entities"]
    known = [entity["id"] for entity in shown["entities"]]
    assert known[0] == entities[0]["entity"]["id"] and len(known) == min(limit, len(entities))
    assert all(set(edge["entities"]) <= set(known) for edge in shown["facts"])
    assert shown["complete"] is whole and (len(shown["facts"]) == 2) is whole
    assert client.get(f"{WORKSPACE}/overview", params={"limit": 100_000}).status_code == 422


def test_several_facts_are_shown_with_their_entities(client: httpx2.Client) -> None:
    stated = [one["fact"] for one in client.get(f"{WORKSPACE}/facts").json()["facts"]]
    ids = [fact["id"] for fact in stated]
    where: dict[str, Any] = {"kind": "fact", "hops": 0}
    shown = client.get(f"{WORKSPACE}/neighbourhood", params=where | {"id": ids}).json()
    names = {entity["id"]: entity["name"] for entity in shown["entities"]}
    joined = {edge["fact"]["id"]: {names[one] for one in edge["entities"]} for edge in shown["facts"]}
    assert joined == {fact["id"]: set(fact["entities"]) for fact in stated} and len(stated) >= 2
    other = client.get(f"{WORKSPACE}/neighbourhood", params=where | {"id": [*ids, NOBODY]})
    assert other.status_code == 404


@pytest.mark.parametrize("name", ["hif", "graphml", "jsonl"])
def test_export_is_streamed(client: httpx2.Client, server: Running, name: str) -> None:
    reply = client.get(f"{WORKSPACE}/export", params={"format": name})
    assert "published program" in reply.text
    assert f'filename="letters.{name}' in reply.headers["content-disposition"]
    wait_until(lambda: not any((server.folder / ".server" / "exports").iterdir()))


def test_metrics_are_exposed(client: httpx2.Client) -> None:
    client.post(f"{WORKSPACE}/query", json={"question": QUESTION})
    text = client.get("/metrics").text
    route = 'route="/v1/workspaces/{workspace}/query",status="200"'
    assert f'polyadic_requests_total{{method="POST",{route}}}' in text
    assert "polyadic_workspaces_open" in text and "letters" not in text


@pytest.mark.parametrize(
    "path",
    [
        "documents",
        "documents/{}/text",
        "documents/{}/span?start=0&end=1",
        "facts",
        "entities",
        "jobs",
        "jobs/{}/events",
    ],
)
def test_missing_resources_return_404(client: httpx2.Client, path: str) -> None:
    path = path.format(NOBODY) if "{}" in path else f"{path}/{NOBODY}"
    reply = client.get(f"{WORKSPACE}/{path}")
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")


def test_server_paths_are_no_documents(client: httpx2.Client, tmp_path: Path) -> None:
    there = tmp_path / "there.txt"
    there.write_text("x")
    for reference in (str(there), str(tmp_path / "not-there.txt")):
        assert client.get(f"{WORKSPACE}/documents/{reference}").status_code in (404, 422)
        only = {"documents": [reference]}
        assert client.post(f"{WORKSPACE}/query", json={"question": QUESTION, "only": only}).status_code == 422


def uploaded(client: httpx2.Client, workspace: str, *files: tuple[str, bytes], **options: Any) -> dict[str, Any]:
    """Upload files, and return the reply once they are indexed."""
    path = f"/v1/workspaces/{workspace}/documents/files"
    reply = client.post(path, files=[("files", file) for file in files], params=options)
    assert reply.status_code == 202, reply.text
    job: dict[str, Any] = reply.json()
    ended = finished(client, workspace, job["id"])
    assert (ended["state"], ended["request"]) == ("succeeded", job["request"])
    return job


def sources(client: httpx2.Client, workspace: str) -> list[str]:
    return [one["source"] for one in client.get(f"/v1/workspaces/{workspace}/documents").json()["documents"]]


def test_files_of_the_same_name_are_numbered(client: httpx2.Client) -> None:
    make(client, "names")
    same = [
        ("a/notes.md", b"Ada met Babbage."),
        ("b/notes.md", b"Ada met Byron."),
        ("notes (2).md", b"Ada met Somerville."),
    ]
    # Names that differ in reserved characters or in what is cut off stay different.
    different = [(name, b"Ada wrote.") for name in ("#.md", "?.md", "n" * 200 + "1.md", "n" * 200 + "2.md")]
    request = uploaded(client, "names", *same, *different)["request"]
    found = sources(client, "names")
    assert found[-5:] == [
        "upload:notes (2).md",
        "upload:notes (3).md",
        "upload:notes.md",
        "upload:＃.md",
        "upload:？.md",
    ]
    assert len(found) == len(same) + len(different)
    assert {"notes (3).md": "notes.md", "＃.md": "#.md"}.items() <= request["renamed"].items()
    assert request["replaces"] == []
    client.delete("/v1/workspaces/names")


def test_reply_and_job_name_the_documents_that_are_replaced(server: Running, client: httpx2.Client) -> None:
    make(client, "names")
    table = b"name;text\n0;Ada wrote the first letter to Babbage.\n"
    earlier = ("upload:notes.md", "upload:rows.csv#0")
    server.fill("names", *(Document(source, "", "Ada met Babbage.") for source in earlier))
    again = uploaded(client, "names", ("notes.md", b"Ada met Byron."), ("rows.csv", table), ("new.md", b"Ada wrote."))
    assert again["request"]["replaces"] == ["upload:notes.md", "upload:rows.csv"]
    text = {
        "texts": [
            {"text": "Ada met nobody.", "source": "upload:notes.md"},
            {"text": "Ada wrote.", "source": "memory:1"},
        ]
    }
    job = client.post("/v1/workspaces/names/documents/texts", json=text).json()
    assert job["request"]["replaces"] == ["upload:notes.md"]
    client.delete("/v1/workspaces/names")


def test_folders_of_a_file_are_part_of_its_name_if_wanted(server: Running, client: httpx2.Client) -> None:
    make(client, "names")
    server.fill("names", Document("upload:letters/1844/ada.md", "", "Ada met Babbage."))
    same = [(f"letters/{year}/ada.md", b"Ada met Babbage.") for year in (1843, 1844, 1843)]
    outside = ("../../../../outside/eve.md", b"Ada met Eve.")
    request = uploaded(client, "names", *same, outside, folders=True)["request"]
    assert request["renamed"].items() >= {"letters/1843/ada (2).md": "letters/1843/ada.md"}.items()
    assert request["replaces"] == ["upload:letters/1844/ada.md"]
    assert sources(client, "names") == [
        "upload:letters/1843/ada (2).md",
        "upload:letters/1843/ada.md",
        "upload:letters/1844/ada.md",
        "upload:outside/eve.md",
    ]
    assert not list(server.folder.parent.rglob("outside"))
    client.delete("/v1/workspaces/names")
