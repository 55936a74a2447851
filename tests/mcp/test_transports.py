"""The SDK's own client over both transports: every tool, both generations of the protocol, and who may write."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from tests.mcp.conftest import TURIN
from tests.mcp.running_server import Connect, asked, command, over_http, over_stdio

pytestmark = pytest.mark.slow

READING = ["query", "search_facts", "get_entity", "get_document_span", "list_documents"]
CALLS: dict[str, dict[str, Any]] = {
    "query": {"question": "Who met Charles Babbage?"},
    "search_facts": {"words": "teaching", "entities": ["Ada Lovelace"]},
    "get_entity": {"entity": "Charles Babbage"},
    "get_document_span": {"document": "/notes/turin.md", "start": 0, "end": 15},
    "list_documents": {},
}


def test_tool_results_match_their_schemas(either: Connect) -> None:
    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == READING
        for tool in tools:
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            returned = await client.call_tool(tool.name, CALLS[tool.name])
            assert not returned.is_error, returned
            assert tool.output_schema is not None
            jsonschema.validate(returned.structured_content, tool.output_schema)
            (content,) = returned.content
            assert isinstance(content, TextContent)
            assert json.loads(content.text) == returned.structured_content

    asked(either, work)


def test_documents_are_resources(either: Connect) -> None:
    async def work(client: Client) -> None:
        listed = await client.list_resources()
        assert [resource.name for resource in listed.resources] == ["/notes/ada.md", "/notes/turin.md"]
        assert listed.next_cursor is None
        (read,) = (await client.read_resource(listed.resources[1].uri)).contents
        assert read.model_dump()["text"] == TURIN
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template.startswith("polyadic://document/{id}")

    asked(either, work)


def test_read_only_access_refuses_writes(either: Connect) -> None:
    async def work(client: Client) -> None:
        refused = await client.call_tool("add_document", {"name": "new", "text": "Eve met Adam in Lund."})
        assert refused.is_error
        assert "documents cannot be added here" in str(refused.content)
        assert (await client.call_tool("list_documents", {})).structured_content["total"] == 2

    asked(either, work)


def test_document_is_added_queried_replaced_and_unchanged(writer: Connect) -> None:
    async def work(client: Client) -> list[Any]:
        assert "add_document" in [tool.name for tool in (await client.list_tools()).tools]
        none_yet = await client.call_tool("list_documents", {})
        assert none_yet.is_error
        first = {"name": "eve", "title": "Eve", "text": "Eve Adams met Noah Webster in Ghent."}
        added = [
            await client.call_tool("add_document", arguments)
            for arguments in (first, first, first | {"text": "Eve Adams met Jonah Falk in Lund."})
        ]
        answer = await client.call_tool("query", {"question": "Whom did Eve Adams meet?"})
        return [*(one.structured_content["outcome"] for one in added), answer.structured_content]

    *outcomes, answer = asked(writer, work)
    assert outcomes == ["added", "unchanged", "replaced"]
    assert "Jonah Falk" in answer["answer"]
    assert "Noah Webster" not in json.dumps(answer)
    assert answer["citations"][0]["source"] == "mcp:eve"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_both_protocol_versions_work(workspaces: Path, address: str, mode: str) -> None:
    async def listed(client: Client) -> int:
        returned = await client.call_tool("list_documents", {})
        total: int = returned.structured_content["total"]
        return total

    async def both() -> tuple[int, int]:
        async with over_stdio(workspaces / "main", mode=mode) as one, over_http(f"{address}/main", mode=mode) as other:
            return await listed(one), await listed(other)

    assert asyncio.run(both()) == (2, 2)


def test_unknown_tool_is_a_protocol_error(either: Connect) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="there is no tool 'drop\\\\x1b': there are query"):
            await client.call_tool("drop\x1b", {})

    asked(either, work)


def test_stdout_carries_protocol_messages_only(workspaces: Path) -> None:
    """Also of what cannot be read, and of a request that fails."""
    process = command(workspaces / "main")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    requests: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "query", "arguments": {"question": "Who met Ada Lovelace?"}},
        },
        {"id": 3, "method": "tools/call", "params": {"name": "get_entity", "arguments": {"entity": "Nobody"}}},
        {"id": 4, "method": "no/such"},
    ]
    lines = "".join(f"{json.dumps({'jsonrpc': '2.0', **request})}\n" for request in requests)
    running = subprocess.Popen(
        [process.command, *process.args],
        env=process.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(f"this is no message\n{lines}".encode())
    running.stdin.flush()
    replies = [json.loads(running.stdout.readline()) for _ in range(4)]
    rest, said = running.communicate(timeout=20)
    assert rest == b""
    assert said == b""
    assert running.returncode == 0
    assert {reply["id"] for reply in replies} == {1, 2, 3, 4}
    assert next(reply for reply in replies if reply["id"] == 3)["result"]["isError"]


def test_missing_package_is_reported_in_one_line(tmp_path: Path) -> None:
    blocked = "import sys; sys.modules['mcp'] = None; from polyadic.cli.main import run; sys.exit(run(['mcp']))"
    ran = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert ran.stderr == (
        "polyadic: the Model Context Protocol needs mcp, which is not installed: pip install 'polyadic[mcp]', or"
        " '.[mcp]' in a checkout\n"
    )
