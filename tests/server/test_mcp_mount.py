"""Tools for agents at a server of many workspaces: the same keys, the same answers to wrong ones."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import CallToolResult

from polyadic.server import mcp_jobs
from polyadic.server.server_limits import ServerLimits
from tests.mcp.running_server import over_http
from tests.model_server import ModelServer, ready
from tests.server.running_server import ADA, BABBAGE, QUESTION, Running, add_key, make, running, wait_until
from tests.support.with_a_model import story

pytestmark = pytest.mark.slow

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@dataclass
class Guarded:
    """A server with two workspaces, and keys to one of them."""

    server: Running
    reads: str
    writes: str


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("agents")
    everything = add_key(folder, "write", "*")
    reads, writes = add_key(folder, "read", "mine"), add_key(folder, "write", "mine")
    with running(folder, keyed=True) as server:
        with server.client(everything) as client:
            make(client, "mine", ADA)
            make(client, "theirs", BABBAGE)
        yield Guarded(server, reads, writes)


def call(server: Running, workspace: str, tool: str, key: str = "none", **arguments: Any) -> CallToolResult:
    """What a tool returns to the SDK's own client."""

    async def made() -> CallToolResult:
        async with over_http(f"{server.url}/mcp/{workspace}", key) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(made())


def result_of(server: Running, workspace: str, tool: str, key: str = "none", **arguments: Any) -> dict[str, Any]:
    """What a tool returns, once it is sure that it did."""
    returned = call(server, workspace, tool, key, **arguments)
    assert not returned.is_error, returned
    structured: dict[str, Any] = returned.structured_content
    return structured


def called(guarded: Guarded, key: str, workspace: str, tool: str, **arguments: Any) -> str:
    """What a tool says, or what goes wrong."""
    try:
        return str(call(guarded.server, workspace, tool, key, **arguments))
    except MCPError as error:
        return str(error)


def test_agent_query_returns_citations(guarded: Guarded) -> None:
    assert ADA in called(guarded, guarded.reads, "mine", "query", question=QUESTION)


def test_write_key_adds_a_document(guarded: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine, a job takes longer than agents wait.
    monkeypatch.setattr(mcp_jobs, "_PATIENCE", 45.0)
    added: dict[str, Any] = {"name": "mary", "text": "Mary Somerville taught Ada Lovelace in Chelsea."}
    refused = called(guarded, guarded.reads, "mine", "add_document", **added)
    assert "documents cannot be added here" in refused
    assert "Chelsea" not in called(guarded, guarded.reads, "mine", "query", question="Who taught Ada Lovelace?")
    for outcome in ("added", "unchanged"):
        became = result_of(guarded.server, "mine", "add_document", guarded.writes, **added)
        assert (became["outcome"], became["source"], became["facts"]) == (outcome, "mcp:mary", 1)
        assert result_of(guarded.server, "mine", "get_job", guarded.reads, job=became["job"])["done"]
    assert "Chelsea" in called(guarded, guarded.reads, "mine", "query", question="Who taught Ada Lovelace?")


def test_long_document_is_indexed_by_a_job(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent is told at once, sees how far it is, and nobody's turn is taken meanwhile."""
    monkeypatch.setattr(mcp_jobs, "_PATIENCE", 0.3)
    with ModelServer([*ready()], delay=0.2) as model:
        for name, value in {"NAME": "recorded", "BASE_URL": model.url, "KEY_VARIABLE": "", "AT_ONCE": "1"}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name}", value)
        monkeypatch.setenv("POLYADIC_CHUNKING__TOKENS", "60")
        monkeypatch.setenv("POLYADIC_CHUNKING__WINDOW_TOKENS", "0")
        with running(folder, limits=ServerLimits(questions_at_once=1)) as server, server.client() as client:
            make(client, "letters")
            added = result_of(server, "letters", "add_document", name="story", text=story(1, 30))
            assert (added["outcome"], added["chunks"], added["facts"]) == ("reading", None, None)
            assert server.service.turns.under_way == 0
            wait_until(lambda: result_of(server, "letters", "get_job", job=added["job"])["chunks_read"] > 0)
            wait_until(lambda: result_of(server, "letters", "get_job", job=added["job"])["done"])
            assert result_of(server, "letters", "get_job", job=added["job"])["state"] == "succeeded"
            assert result_of(server, "letters", "list_documents")["documents"][0]["id"] == added["id"]
            make(client, "others")
            assert "has no job with this identifier" in str(call(server, "others", "get_job", job=added["job"]))


@pytest.mark.parametrize("name", ["theirs", "nobodys", ".server", "Theirs"])
def test_unauthorized_unknown_and_invalid_names_get_the_same_response(guarded: Guarded, name: str) -> None:
    said = called(guarded, guarded.reads, name, "query", question=QUESTION)
    assert "not found, or your key has no access to it" in said and "Babbage" not in said
    assert said == called(guarded, guarded.reads, "some-other", "query", question=QUESTION)


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer letmein"}, {"x-api-key": "letmein"}])
def test_wrong_key_is_refused(guarded: Guarded, headers: dict[str, str]) -> None:
    with guarded.server.client() as client:
        for name in ("mine", "nobodys"):
            reply = client.post(f"/mcp/{name}", json=PING, headers=HEADERS | headers)
            assert (reply.status_code, reply.json()["type"]) == (401, "urn:polyadic:problem:key-needed")
