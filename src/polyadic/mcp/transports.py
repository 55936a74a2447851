"""Transports of MCP: streamable HTTP for many clients, standard input and output for one."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from polyadic.mcp.limits import BODY_BYTES
from polyadic.mcp.request_context import RunInWorkspace, ToolJobs, WorkspaceAccess, here
from polyadic.mcp.server import build
from polyadic.workspace import Workspace

Resolve = Callable[[Request], AbstractAsyncContextManager[Workspace]]
"""Opens the workspace of an HTTP request until the request is answered."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def asgi(
    resolve: Resolve,
    may_write: Callable[[Request], bool],
    hosts: Sequence[str] | None = LOOPBACK,
    run: RunInWorkspace = here,
    jobs: Callable[[Request], ToolJobs | None] | None = None,
    hide_paths: bool = False,
) -> "McpApp":
    """Create an ASGI application that serves MCP at any path.

    Requests are independent and there are no sessions: each request is authorized separately, and memory does not grow
    with the number of clients.

    Parameters
    ----------
    resolve
        Opens the workspace of a request, by its path or its key. A ``PolyadicError`` or ``HTTPException`` that it
        raises is reported to the client in one line.
    may_write
        Whether a request may add documents.
    hosts
        Host names, without ports, under which the server may be addressed; others are refused, to prevent DNS
        rebinding. None if something in front of the application has checked the host.
    run
        Runs work on a workspace, if that has to happen on another event loop than the one that serves.
    jobs
        The indexing jobs of the workspace of a request; always used on the loop that serves. None if it has no access
        to jobs. By default, the request that adds a document also indexes it.
    hide_paths
        Name documents relative to the roots of the workspace, not by paths of this machine.

    Examples
    --------
    Add ``Route("/mcp/{workspace}", app)`` to the server, and enter the application's lifespan in that of the server:

    >>> from contextlib import asynccontextmanager
    >>> from starlette.applications import Starlette
    >>> from starlette.routing import Route
    >>> @asynccontextmanager
    ... async def resolve(request):
    ...     yield Workspace(request.path_params["workspace"])
    >>> app = asgi(resolve, may_write=lambda request: False)
    >>> whole = Starlette(routes=[Route("/mcp/{workspace}", app)], lifespan=lambda _: app.lifespan())
    """

    @asynccontextmanager
    async def opened(request: Request | None) -> AsyncIterator[WorkspaceAccess]:
        if request is None:
            raise RuntimeError("over HTTP there is always a request")
        async with resolve(request) as workspace:
            yield WorkspaceAccess(workspace, may_write(request), jobs(request) if jobs else None, hide_paths)

    return McpApp(build(opened, run), _transport_security(hosts))


class McpApp:
    """ASGI application that serves requests while its ``lifespan`` is entered; the lifespan may be entered again."""

    def __init__(self, server: Server[Any], security: TransportSecuritySettings) -> None:
        self._server = server
        self._security = security
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        manager = StreamableHTTPSessionManager(
            self._server, stateless=True, security_settings=self._security, max_request_body_size=BODY_BYTES
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._manager is None:
            raise RuntimeError("the lifespan of the MCP application has not been entered")
        if scope["type"] == "http" and scope["method"] != "POST":
            # Without sessions the server sends nothing on its own, so clients need no event stream (GET).
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)


def _transport_security(hosts: Sequence[str] | None) -> TransportSecuritySettings:
    """Build the host and origin checks for these host names, with any port."""
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    named = [name for host in hosts for name in (host, f"{host}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in named]
    return TransportSecuritySettings(allowed_hosts=named, allowed_origins=origins)


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
