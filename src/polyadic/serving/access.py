"""What routes depend on: the service, the key, and the workspace that the address names."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import Depends, Path, Request

from polyadic.serving.keys import Access, Key
from polyadic.serving.service import Service
from polyadic.workspace import Workspace

Name = Annotated[str, Path(description="The workspace.", examples=["letters"])]


def service_of(request: Request) -> Service:
    """The service behind an application."""
    service: Service = request.app.state.service
    return service


def key_of(request: Request) -> Key:
    """The key that the door let in."""
    key: Key = request.state.key
    return key


Served = Annotated[Service, Depends(service_of)]
Caller = Annotated[Key, Depends(key_of)]


def _opened(access: Access) -> Callable[[str, Service, Key], AsyncIterator[Workspace]]:
    async def opened(workspace: Name, service: Served, key: Caller) -> AsyncIterator[Workspace]:
        async with service.workspaces.opened(workspace, key, access) as kb:
            yield kb

    return opened


Reading = Annotated[Workspace, Depends(_opened("read"))]
"""The workspace that the address names, to be read; open until the answer is sent."""
Writing = Annotated[Workspace, Depends(_opened("write"))]
"""The same, to be written."""
