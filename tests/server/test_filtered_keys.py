"""A key with a document filter sees a workspace as if it held no other documents, on every route."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.model.types import Document
from polyadic.server.api_keys import KeyRing, keys_file
from polyadic.server.app import create_app
from polyadic.server.page.routes import is_of_page
from polyadic.server.server_state import ServerState
from polyadic.server.tenants.folders import FolderTenants
from polyadic.server.tenants.postgres import PostgresTenants
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.workspace import Workspace
from tests.server.operations import OPEN, Operation, operations
from tests.server.running_server import ADA, BABBAGE, QUESTION, Running, finished, running_over
from tests.support import postgres

pytestmark = pytest.mark.slow
VISIBLE = [
    Document("memory:ada", "Ada Lovelace", ADA, {"dept": "hr", "site": "london"}),
    Document("memory:babbage", "Charles Babbage", BABBAGE, {"dept": "hr"}),
    Document(
        "memory:poem", "Poems", "Lord Byron wrote Don Juan in Venice. Ada Lovelace read Don Juan.", {"dept": "hr"}
    ),
]
HIDDEN = [
    Document(
        "memory:zanzibar",
        "Zanzibar accounts",
        "Ada Lovelace paid Quentin Zanzibar in 1849. Quentin Zanzibar bribed Lord Byron in Zanzibar City."
        " Charles Babbage owes Quentin Zanzibar 900 pounds. Ada Lovelace met Charles Babbage in Zanzibar City.",
        {"dept": "zanzibar"},
    ),
    Document("memory:unlabelled", "Zanzibar notes", "Quentin Zanzibar sold the Analytical Engine to Lord Byron.", {}),
]
HIDDEN_NAME = "zanzibar"
HIDDEN_WORDS = ["zanzibar city", "zanzibar notes", "900 pounds"]
HERE = "/v1/workspaces/kb"
QUESTIONS = [QUESTION, "Whom did Quentin Zanzibar bribe?", "List all people.", "What are the main themes?"]
METHODS = ["auto", "walk", "hypergraph", "hierarchy", "chunks"]
REFUSED = ("urn:polyadic:problem:filtered-key", "urn:polyadic:problem:read-only-key", "not-for-this-key")


@dataclass
class Served:
    """A server with all documents, one with the visible ones only, and identifiers of things that are hidden."""

    whole: httpx2.Client
    filtered: httpx2.Client
    alone: httpx2.Client
    everything: str
    where: str
    empty: str
    server: Running
    identifiers: list[str]
    ordered: bool


def make_workspace(place: Path | str, documents: list[Document]) -> None:
    with Workspace(place) as kb:
        kb.add(documents)


@contextmanager
def serving(engine: str, folder: Path, documents: list[Document]) -> Iterator[Running]:
    """A server with keys and with these documents in the workspace ``kb``, in a folder or a database."""
    if engine == "folder":
        make_workspace(folder / "kb", documents)
        tenants: TenantBackend = FolderTenants(folder)
    else:
        database = postgres.own_database()
        make_workspace(f"{database}#kb", documents)
        tenants = PostgresTenants(database, folder)
    with running_over(tenants, folder, keyed=True) as server:
        yield server


@pytest.fixture(scope="module", params=["folder", "postgres"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    mixed, alone = tmp_path_factory.mktemp("mixed"), tmp_path_factory.mktemp("alone")
    ring = KeyRing(keys_file(mixed))
    everything = ring.add("all", "write", ["*"])[1]
    where = ring.add("hr", "read", ["*"], {"dept": "hr"})[1]
    empty = ring.add("nothing", "read", ["kb"], {"dept": "law"})[1]
    reads = KeyRing(keys_file(alone)).add("reads", "read", ["*"])[1]
    with (
        serving(request.param, mixed, [HIDDEN[0], *VISIBLE, HIDDEN[1]]) as server,
        serving(request.param, alone, VISIBLE) as other,
        server.client(everything) as whole,
        server.client(where) as filtered,
        other.client(reads) as plain,
    ):
        given = {"texts": [{"text": HIDDEN[1].text, "source": HIDDEN[1].source, "title": HIDDEN[1].title}]}
        job = whole.post(f"{HERE}/documents/texts", json=given).json()["id"]
        # Until it has ended, scores and identifiers may change.
        assert finished(whole, "kb", job)["state"] == "succeeded"
        identifiers = [*of_everything(whole), job]
        yield Served(whole, filtered, plain, everything, where, empty, server, identifiers, request.param == "folder")


def of_everything(client: httpx2.Client) -> list[str]:
    """Identifiers of documents, entities and facts, hidden ones included."""
    found = []
    for kind, path in (("documents", "documents"), ("entities", "catalogue/entities"), ("facts", "catalogue/facts")):
        entries = client.get(f"{HERE}/{path}").json()[kind]
        found += [entry["id"] for entry in entries]
    return found


def comparable(served: Served, reply: httpx2.Response) -> tuple[int, str | list[str]]:
    """Status and text of a reply, without times and what differs between any two requests or servers.

    Items of equal rank are in the order of rows in a database, so its replies are compared as sets of words.
    """
    text = re.sub(r'"(seconds|request_id|created|bytes|vectors|filtered)": ?("[^"]*"|[^,}\]]+)', "", reply.text)
    text = re.sub(r"chatcmpl-[0-9a-f]+", "", text)
    if not served.ordered:
        return reply.status_code, sorted({*re.findall(r"[A-Za-z]{4,}", text)})
    return reply.status_code, re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.3f}", text)


def is_refused(reply: httpx2.Response) -> bool:
    return reply.status_code == 403 and reply.json()["type"].endswith(REFUSED)


def assert_same(served: Served, operation: Operation, identifier: str) -> None:
    """The same reply as without the hidden documents, or a refusal."""
    reply = operation.send(served.filtered, "kb", identifier)
    assert HIDDEN_NAME not in reply.text.lower()
    if not is_refused(reply):
        assert comparable(served, reply) == comparable(served, operation.send(served.alone, "kb", identifier)), (
            identifier
        )


@pytest.mark.parametrize("operation", [one for one in operations() if one.path not in OPEN], ids=str)
def test_every_route_filters_or_refuses(served: Served, operation: Operation) -> None:
    has_identifier = bool({"document", "entity", "fact"} & {*operation.parameters})
    has_identifier |= bool({"id", "from"} & {*operation.query})
    has_identifier |= bool({"job", "summary", "community"} & {*operation.parameters})
    for identifier in served.identifiers if has_identifier else served.identifiers[:1]:
        assert_same(served, operation, identifier)


def paths_of(routes: list[Any]) -> set[str]:
    found: set[str] = set()
    for route in routes:
        router = getattr(route, "original_router", None)
        found |= {route.path} if router is None else paths_of(router.routes)
    return found


def test_no_route_is_missing_from_the_description(tmp_path: Path) -> None:
    service = ServerState(FolderTenants(tmp_path), None)
    app = create_app(service)
    service.tenants.close()
    paths = paths_of(app.routes)
    described = {*app.openapi()["paths"]}
    assert described <= paths
    hidden = {path for path in paths - described if not is_of_page(path)}
    assert hidden <= {"/v1/openapi.json", "/mcp/{workspace}"}, "test these for filtered keys, too"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("documents", {"search": HIDDEN_NAME}),
        ("documents", {"limit": "1"}),
        ("entities", {"q": "Quentin Zanzibar"}),
        ("entities", {"q": "Ada Lovelace"}),
        ("facts", {"q": "Quentin Zanzibar bribed Lord Byron"}),
        ("catalogue/entities", {"prefix": "zan"}),
        ("catalogue/facts", {"arity": "3"}),
        ("overview", {"limit": "2000"}),
        ("export", {"format": "hif"}),
        ("export", {"format": "graphml"}),
        ("export", {"format": "jsonl"}),
    ],
)
def test_lists_and_exports_show_no_hidden_document(served: Served, path: str, query: dict[str, str]) -> None:
    reply = served.filtered.get(f"{HERE}/{path}", params=query)
    assert (reply.status_code, HIDDEN_NAME in reply.text.lower()) == (200, False)
    assert comparable(served, reply) == comparable(served, served.alone.get(f"{HERE}/{path}", params=query))


def test_a_key_without_filter_sees_the_hidden_documents(served: Served) -> None:
    for path in ("documents", "catalogue/entities", "catalogue/facts", "overview", "export"):
        assert HIDDEN_NAME in served.whole.get(f"{HERE}/{path}").text.lower()
    found = served.whole.post(f"{HERE}/retrieve", json={"question": QUESTIONS[1]})
    assert HIDDEN_NAME in found.text.lower()


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_use_no_hidden_document(served: Served, question: str) -> None:
    chat = {"model": "kb", "messages": [{"role": "user", "content": question}]}
    lightrag = {"query": question, "include_chunk_content": True}
    requests: list[tuple[str, dict[str, Any]]] = [
        *((f"{HERE}/retrieve", {"question": question, "method": method}) for method in METHODS),
        (f"{HERE}/query", {"question": question}),
        (f"{HERE}/query/stream", {"question": question, "rendered": True}),
        ("/v1/chat/completions", chat),
        ("/v1/chat/completions", chat | {"stream": True}),
        ("/query", lightrag),
        ("/lightrag/kb/query", lightrag | {"only_need_context": True}),
        ("/lightrag/kb/query/stream", lightrag),
    ]
    for path, body in requests:
        reply = served.filtered.post(path, json=body)
        # The question may be repeated, as a whole or in parts.
        told = re.sub("quentin zanzibar", "", reply.text.lower())
        assert reply.status_code == 200 and HIDDEN_NAME not in told and "bribed" not in told, (path, body)
        # With a database, ties decide which of equally good sentences is quoted.
        if served.ordered:
            assert comparable(served, reply) == comparable(served, served.alone.post(path, json=body)), (path, body)


@pytest.mark.parametrize(
    "only",
    [{"where": {"dept": HIDDEN_NAME}}, {"where": {"dept": "hr", "site": "london"}}, {"documents": ["HIDDEN"]}],
    ids=str,
)
def test_filters_of_a_request_only_narrow_the_filter_of_the_key(served: Served, only: dict[str, Any]) -> None:
    if "documents" in only:
        [hidden] = [one.id for one in HIDDEN[:1]]
        only = {"documents": [hidden]}
    body = {"question": QUESTION, "only": only}
    replies = [client.post(f"{HERE}/retrieve", json=body) for client in (served.filtered, served.alone)]
    assert comparable(served, replies[0]) == comparable(served, replies[1])
    assert served.whole.post(f"{HERE}/retrieve", json=body).status_code == 200


def test_filter_without_documents_is_an_empty_workspace(served: Served) -> None:
    with served.server.client(served.empty) as client:
        assert client.get(f"{HERE}/documents").json() == {"documents": [], "total": 0, "next": ""}
        assert client.get(f"{HERE}/entities", params={"q": "Ada Lovelace"}).json() == {"entities": []}
        assert client.get(f"{HERE}/overview").json()["facts"] == []
        assert client.get(HERE).json()["counts"]["documents"] == 0
        assert client.post(f"{HERE}/query", json={"question": QUESTION}).json()["answered"] is False
        assert HIDDEN_NAME not in client.get(f"{HERE}/export").text.lower()


def test_filtered_key_reads_only(served: Served) -> None:
    view = served.filtered.get(HERE).json()
    assert (view["access"], view["filtered"], view["bytes"], view["counts"]["vectors"]) == ("read", True, 0, 0)
    for path in ("jobs", "ledger", "check"):
        reply = served.filtered.get(f"{HERE}/{path}")
        assert (reply.status_code, reply.json()["type"]) == (403, "urn:polyadic:problem:filtered-key")
    assert served.filtered.get("/metrics").status_code == 403
    reply = served.filtered.post(f"{HERE}/documents/texts", json={"texts": [{"text": "A."}]})
    assert (reply.status_code, reply.json()["type"]) == (403, "urn:polyadic:problem:read-only-key")


def test_mcp_tools_and_resources_show_no_hidden_document(served: Served) -> None:
    pytest.importorskip("mcp")
    from tests.mcp.running_server import over_http

    hidden = HIDDEN[0].id
    arguments: dict[str, list[dict[str, Any]]] = {
        "query": [{"question": QUESTIONS[1], "items": 50}, {"question": QUESTION, "documents": [hidden]}],
        "search_facts": [
            {"words": "bribed Lord Byron"},
            {"entities": ["Quentin Zanzibar"]},
            {"entities": ["Ada Lovelace"]},
        ],
        "get_entity": [{"entity": "Quentin Zanzibar"}, {"entity": "Ada Lovelace"}],
        "get_document_span": [{"document": hidden}, {"document": "Zanzibar accounts"}, {"document": "Poems"}],
        "list_documents": [{}, {"limit": 1}],
        "add_document": [{"name": "a", "text": "A."}],
        "get_job": [{"job": served.identifiers[-1]}],
    }

    async def told(key: str) -> tuple[set[str], str]:
        async with over_http(f"{served.server.url}/mcp/kb", key) as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
            texts = [str(await client.list_resources())]
            for tool, calls in arguments.items():
                for given in calls:
                    if key == served.everything and tool == "add_document":
                        continue
                    text = str(await client.call_tool(tool, given)).lower()
                    texts.append(text)
            try:
                texts.append(str(await client.read_resource(f"polyadic://document/{hidden}")))
            except Exception as error:
                texts.append(str(error))
            return offered, "\n".join(texts).lower()

    offered, text = asyncio.run(told(served.where))
    assert offered == {"query", "search_facts", "get_entity", "get_document_span", "list_documents"}
    assert set(arguments) == {*offered, "add_document", "get_job"}
    assert not any(words in text for words in HIDDEN_WORDS)
    offered, text = asyncio.run(told(served.everything))
    assert set(arguments) == offered and all(words in text for words in HIDDEN_WORDS)


def test_exports_of_a_filtered_key_have_no_decisions(tmp_path: Path) -> None:
    ring = KeyRing(keys_file(tmp_path))
    everything, where = ring.add("all", "write", ["*"])[1], ring.add("hr", "read", ["*"], {"dept": "hr"})[1]
    with (
        serving("folder", tmp_path, [HIDDEN[0], *VISIBLE]) as server,
        server.client(everything) as whole,
        server.client(where) as filtered,
    ):
        merge = {"kind": "merge", "names": ["Quentin Zanzibar", "Zanzibar City"]}
        assert whole.post(f"{HERE}/resolution/decisions", json=merge).status_code in (200, 201)
        assert "Zanzibar City" in whole.get(f"{HERE}/export?format=hif").text
        assert HIDDEN_NAME not in filtered.get(f"{HERE}/export?format=hif").text.lower()
