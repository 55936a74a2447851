"""What routes depend on: the service, the key, and the workspace that the address names."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import Depends, Path, Request

from polyadic.server.api_keys import Access, ApiKey
from polyadic.server.service import ServerState
from polyadic.workspace import Workspace

Name = Annotated[str, Path(description="The workspace.", examples=["letters"])]


def service_of(request: Request) -> ServerState:
    """The service behind an application."""
    service: ServerState = request.app.state.service
    return service


def key_of(request: Request) -> ApiKey:
    """The key that the door let in."""
    key: ApiKey = request.state.key
    return key


Served = Annotated[ServerState, Depends(service_of)]
Caller = Annotated[ApiKey, Depends(key_of)]


def _opened(access: Access) -> Callable[[str, ServerState, ApiKey], AsyncIterator[Workspace]]:
    async def opened(workspace: Name, service: Served, key: Caller) -> AsyncIterator[Workspace]:
        async with service.workspaces.opened(workspace, key, access) as kb:
            yield kb

    return opened


Reading = Annotated[Workspace, Depends(_opened("read"))]
"""The workspace that the address names, to be read; open until the answer is sent."""
Writing = Annotated[Workspace, Depends(_opened("write"))]
"""The same, to be written."""
