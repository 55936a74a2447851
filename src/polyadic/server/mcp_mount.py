"""MCP over HTTP at ``/mcp/{workspace}``; workspaces are opened through the registry, as everywhere."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.util import find_spec
from typing import Any, TypeVar

from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Route

from polyadic.server.dependencies import key_of
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

T = TypeVar("T")
PATH = "/mcp/{workspace}"


def add_agents(app: FastAPI, service: ServerState) -> Callable[[], AbstractAsyncContextManager[None]]:
    """Add the MCP route if the extra ``mcp`` is installed; return a factory for its lifespan."""
    if find_spec("mcp") is None:
        return nullcontext
    from polyadic.mcp import asgi
    from polyadic.server.mcp_jobs import McpJobs

    @asynccontextmanager
    async def resolve(request: Request) -> AsyncIterator[Workspace]:
        async with service.workspaces.opened(_name(request), key_of(request), "read") as kb:
            yield kb

    def may_write(request: Request) -> bool:
        return key_of(request).may_write

    def jobs_for(request: Request) -> McpJobs | None:
        # Jobs name documents that a filter hides.
        key = key_of(request)
        return None if key.where else McpJobs(service, key, _name(request))

    async def run(work: Coroutine[Any, Any, T], workspace: Workspace) -> T:
        try:
            async with service.turns.turn(workspace.name):
                return await service.work.run(work)
        finally:
            # If admission was refused, the coroutine has not been started.
            work.close()

    # AuthMiddleware has checked hosts and origins.
    agents = asgi(resolve, may_write, hosts=None, run=run, jobs=jobs_for, hide_paths=True)
    app.router.routes.append(Route(PATH, agents, include_in_schema=False))
    return agents.lifespan


def _name(request: Request) -> str:
    name: str = request.path_params["workspace"]
    return name
