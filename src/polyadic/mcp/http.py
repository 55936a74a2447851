"""Many clients over streamable HTTP: an ASGI application for a route of a larger server."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from polyadic.mcp.jobs import ToolJobs
from polyadic.mcp.limits import BODY_BYTES
from polyadic.mcp.request_context import RunInWorkspace, WorkspaceAccess, here
from polyadic.mcp.server import build
from polyadic.workspace import Workspace

Resolve = Callable[[Request], AbstractAsyncContextManager[Workspace]]
"""The workspace that an HTTP request is about, held open until the request is answered."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def asgi(
    resolve: Resolve,
    may_write: Callable[[Request], bool],
    hosts: Sequence[str] | None = LOOPBACK,
    run: RunInWorkspace = here,
    jobs: Callable[[Request], ToolJobs] | None = None,
) -> "McpApp":
    """An ASGI application that serves MCP at whatever path it is routed from.

    Each request is resolved by itself and no session is kept, so a key is looked at every time, and nothing grows with
    the number of clients.

    Parameters
    ----------
    resolve
        Finds the workspace of a request, by its path or its key. What it raises is told to the client in one line, if
        it is a ``PolyadicError`` or an ``HTTPException``.
    may_write
        Whether a request may add documents.
    hosts
        Names under which the server may be called, without ports: others are refused, so that no web page can reach it
        by giving its own name the server's address. None where something in front has seen to that.
    run
        Runs what is done with a workspace, where that is to happen on another loop than the one that serves.
    jobs
        The jobs that read documents for the workspace of a request, always on the loop that serves; if left out, a
        request that adds a document reads it.

    Examples
    --------
    ``Route("/mcp/{workspace}", app)`` routes to it, and the server's own lifespan has to enter that of the application:

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
            yield WorkspaceAccess(workspace, may_write(request), jobs(request) if jobs else None)

    return McpApp(build(opened, run), _checked(hosts))


class McpApp:
    """Serves requests while its ``lifespan`` is entered, which may be done again after it has ended."""

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
            # Without sessions nothing is ever sent unasked, so no client need hold a connection open for it.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)


def _checked(hosts: Sequence[str] | None) -> TransportSecuritySettings:
    """Which names a request may call the server by, and which pages it may come from, with any port."""
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    named = [name for host in hosts for name in (host, f"{host}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in named]
    return TransportSecuritySettings(allowed_hosts=named, allowed_origins=origins)
