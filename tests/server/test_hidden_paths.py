"""No response of a server contains a path of its machine, whatever the route, protocol or tool."""

import asyncio
import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from mcp import MCPError

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document, Usage
from polyadic.storage.protocol import LedgerCall
from polyadic.workspace import Workspace
from tests.mcp.running_server import over_http
from tests.server.operations import OPEN, Operation, operations
from tests.server.running_server import Running, add_key, finished, running

pytestmark = pytest.mark.slow

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
HIDDEN = "hidden-part"
PATH = "/v1/workspaces/letters"
NAMES = ["ada.md", "journeys/turin.md", "notes.md", "rows.csv#1", "web:page"]
QUESTION = "Who met Charles Babbage in London?"
ADA = "# Ada Lovelace\n\nAda Lovelace met Charles Babbage in London in 1833."
TURIN = "Luigi Menabrea heard Charles Babbage in Turin in 1840."
ELSEWHERE = "Mary Somerville taught Ada Lovelace in London."
READS = [one for one in operations() if not one.writes and one.path not in OPEN]


@dataclass
class Served:
    server: Running
    reader: str
    writer: str
    ids: dict[str, str]
    """Identifiers of the documents by name."""
    fact: str
    entity: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A workspace with documents from a folder and from elsewhere; the path of both has a part to hide."""
    folder = tmp_path_factory.mktemp("served")
    letters = tmp_path_factory.mktemp(HIDDEN) / f"{HIDDEN}-letters"
    (letters / "journeys").mkdir(parents=True)
    (letters / "ada.md").write_text(ADA)
    (letters / "journeys" / "turin.md").write_text(TURIN)
    (letters / "rows.csv").write_text("title,text\nA,Ada Lovelace wrote to Charles Babbage.\n")
    with Workspace(folder / "letters", HASHING) as kb:
        kb.index([letters])
        kb.add([Document(f"/srv/{HIDDEN}/notes.md", "", ELSEWHERE), Document("web:page", "", "Ada wrote to Babbage.")])
        calls = [LedgerCall("extract", "m", Usage(1, 1, 1), 1.0, record.id) for record in kb.documents()]
        kb.store().record_calls([(call, None) for call in calls])
        ids = {record.source.removeprefix(f"{letters.resolve()}/"): record.id for record in kb.documents()}
        ids["notes.md"] = ids.pop(f"/srv/{HIDDEN}/notes.md")
        [fact] = [fact.id for fact in kb.facts_of("Charles Babbage") if "London" in fact.text]
        entity = kb.show_entity("Charles Babbage").entity.id
    reader, writer = add_key(folder, "read", "letters"), add_key(folder, "write", "letters")
    with running(folder, keyed=True) as server:
        yield Served(server, reader, writer, ids, fact, entity)


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx2.Client]:
    with served.server.client(served.reader) as client:
        yield client


def text_of(reply: httpx2.Response) -> str:
    """The headers and the body of a successful response, once it is sure that they hide what is to be hidden."""
    assert reply.status_code in (200, 202), reply.text
    text = f"{reply.headers}{reply.text}"
    assert HIDDEN not in text
    return text


@pytest.mark.parametrize("operation", READS, ids=str)
def test_no_route_shows_paths_to_readers(served: Served, client: httpx2.Client, operation: Operation) -> None:
    for identifier in (*served.ids.values(), served.fact, served.entity):
        reply = operation.send(client, "letters", identifier)
        assert HIDDEN not in f"{reply.headers}{reply.text}"


def test_documents_and_their_spans_have_relative_names(served: Served, client: httpx2.Client) -> None:
    for name, identifier in served.ids.items():
        document = f"{PATH}/documents/{identifier}"
        assert json.loads(client.get(document).text)["source"] == name
        assert client.get(f"{document}/span", params={"start": 0, "end": 1}).json()["source"] == name
    listed = client.get(f"{PATH}/documents")
    assert sorted(one["source"] for one in listed.json()["documents"]) == NAMES
    assert HIDDEN not in text_of(listed)


def test_pages_of_documents_do_not_encode_paths(client: httpx2.Client) -> None:
    found: list[str] = []
    after = ""
    while page := client.get(f"{PATH}/documents", params={"limit": 1, "after": after}).json():
        found += [one["source"] for one in page["documents"]]
        if not (after := page["next"]):
            break
        assert HIDDEN.encode() not in base64.urlsafe_b64decode(after)
    assert sorted(found) == NAMES


@pytest.mark.parametrize("position", ["/", f"=/srv/{HIDDEN}", "/srv/", f"{'0' * 32}/a", "0" * 32, "=file:///srv/"])
def test_cursor_cannot_probe_paths(client: httpx2.Client, position: str) -> None:
    cursor = base64.urlsafe_b64encode(position.encode()).decode()
    assert client.get(f"{PATH}/documents", params={"after": cursor}).status_code == 422


def test_search_matches_names_only(client: httpx2.Client) -> None:
    def found(words: str) -> list[str]:
        reply = client.get(f"{PATH}/documents", params={"search": words}).json()
        return [one["source"] for one in reply["documents"]]

    assert found("JOURNEYS/") == ["journeys/turin.md"]
    assert found(HIDDEN) == found("/srv") == []


def test_answers_of_all_protocols_cite_relative_names(served: Served, client: httpx2.Client) -> None:
    asked = {"question": QUESTION, "method": "chunks", "by": "quotes"}
    answer = client.post(f"{PATH}/query", json=asked)
    assert {one["place"]["source"] for one in answer.json()["citations"]} & set(NAMES) and text_of(answer)
    for path in ("query", "query/stream"):
        assert '"ada.md"' in text_of(client.post(f"{PATH}/{path}", json=asked))
    assert '"ada.md"' in text_of(client.post(f"{PATH}/retrieve", json={"question": QUESTION}))
    for path in ("/query", "/query/stream", "/lightrag/letters/query"):
        assert '"ada.md"' in text_of(client.post(path, json={"query": QUESTION, "include_references": True}))
    for stream in (False, True):
        chat = {"model": "letters", "messages": [{"role": "user", "content": QUESTION}], "stream": stream}
        assert "ada.md" in text_of(client.post("/v1/chat/completions", json=chat))
    assert '"ada.md"' in text_of(client.get(f"{PATH}/facts/{served.fact}"))


def test_ledger_and_exports_have_relative_names(client: httpx2.Client, served: Served) -> None:
    assert '"journeys/turin.md"' in text_of(client.get(f"{PATH}/ledger"))
    for name in ("hif", "graphml", "jsonl"):
        exported = text_of(client.get(f"{PATH}/export", params={"format": name}))
        assert name == "graphml" or '"source": "journeys/turin.md"' in exported


def test_change_of_a_document_keeps_its_hidden_source(served: Served) -> None:
    """The job names the document relatively, also if it is skipped, and the document stays the same one."""
    document = served.ids["journeys/turin.md"]
    with served.server.client(served.writer) as writer:
        for text in ("Two\0parts.", f"{TURIN} Charles Babbage left Turin in 1841."):
            started = writer.put(f"{PATH}/documents/{document}", json={"text": text})
            assert started.json()["request"]["replaces"] == ["journeys/turin.md"]
            finished(writer, "letters", started.json()["id"])
        jobs = writer.get(f"{PATH}/jobs")
        sources = [one["source"] for job in jobs.json()["jobs"] for one in job["report"]["skipped"]]
        assert sources == ["journeys/turin.md"]
        assert HIDDEN not in text_of(started) + text_of(jobs)
        assert "1841" in writer.get(f"{PATH}/documents/{document}/text").text
        assert writer.get(f"{PATH}/documents").json()["total"] == len(NAMES)


TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("query", {"question": QUESTION}),
    ("query", {"question": QUESTION, "answer": False}),
    ("search_facts", {"words": "Ada Lovelace"}),
    ("get_entity", {"entity": "Ada Lovelace"}),
    ("list_documents", {}),
    ("get_document_span", {"document": "journeys/turin.md"}),
    ("get_document_span", {"document": "turin.md"}),
    ("query", {"question": QUESTION, "documents": ["journeys"]}),
]


@pytest.mark.parametrize(("tool", "arguments"), TOOLS)
def test_no_tool_shows_paths(served: Served, tool: str, arguments: dict[str, Any]) -> None:
    called = of_agent(served, lambda client: client.call_tool(tool, arguments))
    assert not called.is_error, called
    assert HIDDEN not in called.model_dump_json()
    assert any(name in called.model_dump_json() for name in NAMES)


@pytest.mark.parametrize("folder", ["/srv", f"/srv/{HIDDEN}", f"/srv/{HIDDEN}/notes.md", f"{HIDDEN}/notes.md", "/"])
def test_agent_cannot_probe_paths(served: Served, folder: str) -> None:
    for tool, arguments in (
        ("search_facts", {"words": "Ada", "documents": [folder]}),
        ("get_document_span", {"document": folder}),
        ("list_documents", {"after": folder}),
    ):
        called = of_agent(served, lambda client, tool=tool, arguments=arguments: client.call_tool(tool, arguments))
        assert called.is_error, (tool, called)


def test_resources_and_their_pages_have_relative_names(served: Served) -> None:
    listed = of_agent(served, lambda client: client.list_resources())
    assert sorted(one.name for one in listed.resources) == NAMES
    found, after = [], None
    while True:
        arguments = {"limit": 1, **({"after": after} if after else {})}
        page = of_agent(served, lambda client, arguments=arguments: client.call_tool("list_documents", arguments))
        assert HIDDEN not in page.model_dump_json()
        found += [one["source"] for one in page.structured_content["documents"]]
        if (after := page.structured_content["next"]) is None:
            break
    assert sorted(found) == NAMES
    uri = f"polyadic://document/{served.ids['notes.md']}"
    assert HIDDEN not in of_agent(served, lambda client: client.read_resource(uri)).model_dump_json()


def of_agent(served: Served, work: Any) -> Any:
    async def call() -> Any:
        async with over_http(f"{served.server.url}/mcp/letters", served.reader) as client:
            try:
                return await work(client)
            except MCPError as error:
                return error

    return asyncio.run(call())
