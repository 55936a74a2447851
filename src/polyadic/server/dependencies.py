"""FastAPI dependencies: the service, the API key, and the workspace in the path."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import Depends, Path, Request

from polyadic.server.api_keys import ApiKey
from polyadic.server.server_state import ServerState
from polyadic.server.workspace_registry import RequestedAccess
from polyadic.workspace import Workspace

Name = Annotated[str, Path(description="The workspace.", examples=["letters"])]


def service_of(request: Request) -> ServerState:
    """Return the service of the application."""
    service: ServerState = request.app.state.service
    return service


def key_of(request: Request) -> ApiKey:
    """Return the API key that the authentication middleware accepted."""
    key: ApiKey = request.state.key
    return key


Served = Annotated[ServerState, Depends(service_of)]
Caller = Annotated[ApiKey, Depends(key_of)]


def _opened(access: RequestedAccess) -> Callable[[str, ServerState, ApiKey], AsyncIterator[Workspace]]:
    async def opened(workspace: Name, service: Served, key: Caller) -> AsyncIterator[Workspace]:
        async with service.workspaces.opened(workspace, key, access) as kb:
            yield kb

    return opened


Reading = Annotated[Workspace, Depends(_opened("read"))]
"""The workspace in the path, opened for reading until the response is sent; filtered if the key has a filter.

Routes that read anything else about a workspace, such as its jobs, use :data:`ReadingAll`.
"""
ReadingAll = Annotated[Workspace, Depends(_opened("read-all"))]
"""As :data:`Reading`, but refused to keys with a document filter."""
Writing = Annotated[Workspace, Depends(_opened("write"))]
"""The workspace in the path, opened for writing until the response is sent."""
