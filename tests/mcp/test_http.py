"""The ASGI application: who may call it, for what, and how much at once."""

import asyncio
import json
import threading
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from starlette.types import Message

from polyadic.mcp import asgi
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.mcp.running_server import HASHING, WRITING, Made, over_http, problem, result, serving

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def posted(url: str, body: Any = PING, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx2.post(url, content=content, headers=HEADERS | headers, timeout=60, verify=False)


def test_only_allowed_host_names_are_served(address: str) -> None:
    assert posted(f"{address}/main").status_code == 200
    assert posted(f"{address}/main", host="localhost:9").status_code == 200
    assert posted(f"{address}/main", host="evil.example").status_code == 421
    assert posted(f"{address}/main", origin="http://evil.example").status_code == 403
    assert posted(f"{address}/main", origin="http://localhost:3000").status_code == 200


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"\xff\xfe", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"[" * 100_000, b'{"a":"\\ud800"}']
)
def test_invalid_request_is_a_client_error(address: str, body: bytes) -> None:
    answered = posted(f"{address}/main", body)
    assert 400 <= answered.status_code < 500
    assert "Traceback" not in answered.text


def test_lone_surrogate_in_an_argument_is_refused(address: str) -> None:
    arguments = {"name": "get_entity", "arguments": {"entity": "\ud800"}}
    answered = posted(f"{address}/main", {**PING, "method": "tools/call", "params": arguments})
    assert answered.status_code < 500
    assert "Traceback" not in answered.text
    assert "London" in str(result(partial(over_http, f"{address}/main"), "get_entity", entity="London"))


def test_body_size_is_limited(address: str) -> None:
    assert posted(f"{address}/main", b"x" * (4 * 1024 * 1024 + 1)).status_code == 413


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_server_streams_and_other_methods_are_refused(address: str, method: str) -> None:
    answered = httpx2.request(method, f"{address}/main", headers=HEADERS, timeout=60, verify=False)
    assert (answered.status_code, answered.headers["allow"]) == (405, "POST")


def test_server_is_stateless(address: str) -> None:
    assert "mcp-session-id" not in posted(f"{address}/main").headers


def test_workspaces_are_isolated(workspaces: Path, address: str) -> None:
    with Workspace(workspaces / "other", HASHING) as kb:
        kb.add([Document("/other/eve.md", "Eve", "Eve Adams met Noah Webster in Ghent.")])
    other, first = (partial(over_http, f"{address}/{name}") for name in ("other", "main"))
    assert [one["source"] for one in result(other, "list_documents")["documents"]] == ["/other/eve.md"]
    assert "no entity matches" in problem(other, "get_entity", entity="Ada Lovelace")
    assert "no entity matches" in problem(first, "get_entity", entity="Eve Adams")
    assert "no document matches" in problem(first, "get_document_span", document="/other/eve.md")


def test_unknown_workspace_is_reported_in_one_line(workspaces: Path, address: str) -> None:
    said = problem(partial(over_http, f"{address}/none"), "query", question="Who?")
    assert said == "there is no workspace 'none': see …/" + workspaces.name


def test_errors_of_the_hosting_server_are_passed_on(address: str) -> None:
    assert problem(partial(over_http, f"{address}/closed"), "query", question="Who?") == "your key does not open this"


def test_work_runs_on_the_given_loop(workspaces: Path) -> None:
    """On another loop, as connections to models belong to one."""
    loop, ran = asyncio.new_event_loop(), []
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def noted(work: Coroutine[Any, Any, Made]) -> Made:
        ran.append(threading.current_thread() is thread)
        return await work

    async def elsewhere(work: Coroutine[Any, Any, Made], workspace: Workspace) -> Made:
        assert workspace.folder == workspaces / "main"
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(noted(work), loop))

    try:
        with serving(workspaces, elsewhere) as url:
            assert result(partial(over_http, f"{url}/main"), "query", question="Who met Charles Babbage?")["answered"]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert ran
    assert all(ran)


def test_key_applies_to_its_request_only(workspaces: Path, address: str) -> None:
    """Also where the same client sent a better one before."""
    (workspaces / "keys").mkdir()

    async def work() -> list[bool]:
        allowed = []
        for key in (WRITING, "may-read", WRITING):
            async with over_http(f"{address}/keys", key) as client:
                added = await client.call_tool("add_document", {"name": key, "text": "Eve Adams met Noah in Ghent."})
                names = [tool.name for tool in (await client.list_tools()).tools]
                assert ("add_document" in names) == (key == WRITING)
                allowed.append(not added.is_error)
        return allowed

    assert asyncio.run(work()) == [True, False, True]


@pytest.mark.slow
def test_concurrent_requests_are_served(address: str) -> None:
    async def one(client: Client, number: int) -> int:
        if number % 2:
            found = await client.call_tool("query", {"question": "Who met Charles Babbage?"})
            return len(found.structured_content["citations"])
        return len((await client.call_tool("search_facts", {"words": "Turin", "limit": 1})).structured_content["facts"])

    async def work() -> list[int]:
        async with over_http(f"{address}/main") as client, over_http(f"{address}/main") as other:
            return await asyncio.gather(*(one((client, other)[n % 3 == 0], n) for n in range(40)))

    assert all(asyncio.run(work()))


def test_lifespan_can_be_entered_again() -> None:
    app = asgi(lambda request: pytest.fail("not asked for"), lambda request: False)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        pytest.fail(f"answered {message}")

    async def work() -> None:
        for _ in range(2):
            async with app.lifespan():
                pass
        with pytest.raises(RuntimeError, match="lifespan"):
            await app({"type": "http"}, receive, send)

    asyncio.run(work())
