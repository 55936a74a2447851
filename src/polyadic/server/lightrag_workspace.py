"""Helpers of the LightRAG-compatible modules: the workspace of a request, names of sources, authentication status."""

from typing import Annotated, Literal

from fastapi import APIRouter, Header
from pydantic import BaseModel

from polyadic import __version__
from polyadic.server.dependencies import Caller, Name, Served
from polyadic.server.jobs.uploads import SCHEME
from polyadic.server.problem_details import ProblemError
from polyadic.server.upload_requests import TEXT_SCHEME

WORKSPACE_HEADER = "LIGHTRAG-WORKSPACE"


def by_path(workspace: str) -> str:
    return workspace


async def by_header(
    service: Served, key: Caller, named: Annotated[str | None, Header(alias=WORKSPACE_HEADER)] = None
) -> str:
    if named:
        return named
    names = await service.workspaces.names(key)
    if len(names) != 1:
        raise ProblemError(404, "no-workspace-named", f"name a workspace in the header {WORKSPACE_HEADER}")
    return names[0]


def file_path(source: str) -> str:
    """Return a source as LightRAG names files: uploads and texts by the name that the client gave."""
    return source.removeprefix(SCHEME).removeprefix(TEXT_SCHEME)


class LightRAGAuthStatus(BaseModel):
    """There are no user accounts. Clients get the token of a guest; where keys are needed, they send theirs, too."""

    auth_configured: Literal[False] = False
    auth_mode: Literal["disabled"] = "disabled"
    access_token: Literal["guest"] = "guest"  # noqa: S105 - it gives access to nothing
    token_type: Literal["bearer"] = "bearer"  # noqa: S105
    message: str = "There are no user accounts: send an API key in X-API-Key if the server needs one."
    core_version: str = __version__
    api_version: str = __version__


status_router = APIRouter(tags=["lightrag"])


@status_router.get("/auth-status", summary="LightRAG: get the authentication status")
async def auth_status() -> LightRAGAuthStatus:
    """Needs no key."""
    return LightRAGAuthStatus()


@status_router.get(
    "/lightrag/{workspace}/auth-status", summary="LightRAG: get the authentication status in a named workspace"
)
async def named_auth_status(workspace: Name) -> LightRAGAuthStatus:
    """Needs no key, and is the same for all names."""
    return LightRAGAuthStatus()


def one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
