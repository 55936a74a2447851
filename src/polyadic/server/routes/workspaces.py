"""Routes to list, create, read and delete workspaces."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from polyadic.server.dependencies import Caller, Name, Reading, ReadingAll, Served
from polyadic.server.openapi import errors
from polyadic.server.query_service import source_names
from polyadic.server.schemas import LedgerPage, NewWorkspace, WorkspaceList, WorkspaceView
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces", tags=["workspaces"])


@router.get("", summary="List workspaces")
async def workspaces(
    service: Served,
    key: Caller,
    after: Annotated[str, Query(max_length=100, description="`next` of the previous page")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> WorkspaceList:
    """List the workspaces that your key gives access to, by name, in pages."""
    rest = [name for name in await service.workspaces.names(key) if name > after]
    return WorkspaceList(workspaces=rest[:limit], next=rest[limit - 1] if len(rest) > limit else "")


@router.post("", status_code=201, summary="Create a workspace", responses=errors(404, 409))
async def create(new: NewWorkspace, service: Served, key: Caller, response: Response) -> WorkspaceView:
    """The workspace gets the server's default settings; your key must allow writing to this name."""
    await service.workspaces.create(new.name, key)
    response.headers["Location"] = f"/v1/workspaces/{new.name}"
    async with service.workspaces.opened(new.name, key, "read") as kb:
        return _view(kb, new.name, key)


@router.get("/{workspace}", summary="Get a workspace")
def show(workspace: Name, kb: Reading, key: Caller) -> WorkspaceView:
    """Return counts, sizes and models. A key with a document filter gets the counts of its documents, and no size."""
    return _view(kb, workspace, key)


@router.delete("/{workspace}", status_code=204, summary="Delete a workspace", response_class=Response)
async def delete(workspace: Name, service: Served, key: Caller) -> None:
    """Delete everything in the workspace and stop its jobs."""
    await service.workspaces.delete(workspace, key, service.jobs.forget)


@router.get("/{workspace}/ledger", summary="Get usage and cost")
def ledger(
    workspace: Name,
    kb: ReadingAll,
    start: Annotated[int, Query(ge=0, le=2**31, description="`next` of the previous page")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> LedgerPage:
    """Return the totals of paid model calls by purpose, and list those by document and every call in pages."""
    whole, end = source_names(kb).applied(kb.ledger()), start + limit
    return LedgerPage(
        purposes=list(whole.purposes),
        documents=list(whole.documents[start:end]),
        calls=list(whole.calls[start:end]),
        next=end if end < max(len(whole.documents), len(whole.calls)) else None,
    )


def _view(kb: Workspace, name: str, key: Caller) -> WorkspaceView:
    status, settings = kb.status(), kb.settings
    return WorkspaceView(
        name=name,
        counts=status.counts,
        arities=status.arities,
        bytes=status.bytes,
        embedder=status.embedder,
        model=settings.model.of_role("answers").name,
        method=settings.retrieval.method,
        access="write" if key.may_write else "read",
        filtered=bool(key.where),
    )
