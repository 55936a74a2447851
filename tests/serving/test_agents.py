"""Tools for agents at a server of many workspaces: the same keys, the same answers to wrong ones."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from mcp import MCPError

from tests.mcp.serving import over_http
from tests.serving.running import ADA, BABBAGE, QUESTION, Running, add_key, make, running

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


def called(guarded: Guarded, key: str, workspace: str, tool: str, **arguments: Any) -> str:
    """What a tool says to the SDK's own client, or what goes wrong."""

    async def call() -> str:
        async with over_http(f"{guarded.server.url}/mcp/{workspace}", key) as client:
            try:
                return str(await client.call_tool(tool, arguments))
            except MCPError as error:
                return str(error)

    return asyncio.run(call())


def test_an_agent_asks_and_is_told_where_it_stands(guarded: Guarded) -> None:
    assert ADA in called(guarded, guarded.reads, "mine", "query", question=QUESTION)


def test_a_document_is_added_with_a_key_that_may_write(guarded: Guarded) -> None:
    added: dict[str, Any] = {"name": "mary", "text": "Mary Somerville taught Ada Lovelace in Chelsea."}
    refused = called(guarded, guarded.reads, "mine", "add_document", **added)
    assert "Chelsea" not in called(guarded, guarded.reads, "mine", "query", question="Who taught Ada Lovelace?"), (
        refused
    )
    called(guarded, guarded.writes, "mine", "add_document", **added)
    assert "Chelsea" in called(guarded, guarded.reads, "mine", "query", question="Who taught Ada Lovelace?")


@pytest.mark.parametrize("name", ["theirs", "nobodys", ".server", "Theirs"])
def test_foreign_unknown_and_ill_formed_names_are_told_the_same(guarded: Guarded, name: str) -> None:
    said = called(guarded, guarded.reads, name, "query", question=QUESTION)
    assert "nothing here that your key opens" in said and "Babbage" not in said
    assert said == called(guarded, guarded.reads, "some-other", "query", question=QUESTION)


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer letmein"}, {"x-api-key": "letmein"}])
def test_a_wrong_key_is_turned_away_at_the_door(guarded: Guarded, headers: dict[str, str]) -> None:
    with guarded.server.client() as client:
        for name in ("mine", "nobodys"):
            reply = client.post(f"/mcp/{name}", json=PING, headers=HEADERS | headers)
            assert (reply.status_code, reply.json()["type"]) == (401, "urn:polyadic:problem:key-needed")
