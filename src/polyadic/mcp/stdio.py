"""MCP over standard input and output for one client; nothing else in the process may write to that output."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.stdio import stdio_server
from starlette.requests import Request

from polyadic.mcp.request_context import WorkspaceAccess
from polyadic.mcp.server import build
from polyadic.workspace import Workspace


async def serve_stdio(workspace: Workspace, may_write: bool = False) -> None:
    """Serve a workspace until the client closes the connection; the workspace stays open.

    Parameters
    ----------
    workspace
        Workspace to serve; it may be empty.
    may_write
        Whether the client may add documents.
    """

    @asynccontextmanager
    async def opened(_: Request | None) -> AsyncIterator[WorkspaceAccess]:
        yield WorkspaceAccess(workspace, may_write)

    server = build(opened)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
