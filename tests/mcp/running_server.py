"""Servers for tests of MCP, the real ones: the command over standard input and output, uvicorn over HTTP."""

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import uvicorn
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import NotFound
from polyadic.mcp import asgi
from polyadic.mcp.request_context import RunInWorkspace, here
from polyadic.workspace import Workspace

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
WRITING = "may-write"
_SECONDS = 60.0
Connect = Callable[[], AbstractAsyncContextManager[Client]]
Made = TypeVar("Made")


def command(folder: Path, *options: str) -> StdioServerParameters:
    """How a client starts the command over a workspace."""
    environment = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing"}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "polyadic", "-w", str(folder), "mcp", *options], env=environment
    )


@asynccontextmanager
async def over_stdio(folder: Path, *options: str, mode: str = "auto") -> AsyncIterator[Client]:
    with Path(os.devnull).open("w") as unheard:
        async with Client(stdio_client(command(folder, *options), unheard), mode=mode) as client:
            yield client


@asynccontextmanager
async def over_http(url: str, key: str = "may-read", mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key}"}
    async with (
        # Plain HTTP; reading the system's certificates for each client would take most of the time.
        httpx2.AsyncClient(headers=headers, timeout=_SECONDS, verify=False) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@contextmanager
def serving(folder: Path, run: RunInWorkspace = here) -> Iterator[str]:
    """A server over a folder of workspaces, one a path; gives its address."""
    opened: dict[str, Workspace] = {}

    @asynccontextmanager
    async def resolve(request: Request) -> AsyncIterator[Workspace]:
        name = request.path_params["workspace"]
        if name == "closed":
            raise HTTPException(403, "your key does not open this")
        if not (folder / name).is_dir():
            raise NotFound(f"there is no workspace {name!r}", f"see {folder}")
        yield opened.setdefault(name, Workspace(folder / name, HASHING))

    app = asgi(resolve, lambda request: request.headers.get("authorization") == f"Bearer {WRITING}", run=run)
    whole = Starlette(routes=[Route("/mcp/{workspace}", app)], lifespan=lambda _: app.lifespan())
    with _running(whole) as address:
        yield f"{address}/mcp"
    for workspace in opened.values():
        workspace.close()


@contextmanager
def _running(app: Starlette) -> Iterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


def asked(connect: Connect, work: Callable[[Client], Awaitable[Made]]) -> Made:
    """What a client makes of a connection."""

    async def connected() -> Made | MCPError:
        async with connect() as client:
            try:
                return await work(client)
            except MCPError as error:
                # Raised within, it would come out as a group of errors.
                return error

    made = asyncio.run(connected())
    if isinstance(made, MCPError):
        raise made
    return made


def called(connect: Connect, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    async def call(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    return asked(connect, call)


def result(connect: Connect, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool returns, once it is sure that it did."""
    returned = called(connect, tool, arguments)
    assert not returned.is_error, returned
    structured: dict[str, Any] = returned.structured_content
    return structured


def problem(connect: Connect, tool: str, **arguments: Any) -> str:
    """What a tool says is wrong, once it is sure that it is one plain line."""
    returned = called(connect, tool, arguments)
    assert returned.is_error, returned
    assert returned.structured_content is None
    (content,) = returned.content
    assert isinstance(content, TextContent)
    assert "Traceback" not in content.text
    assert content.text.isprintable()
    return content.text
