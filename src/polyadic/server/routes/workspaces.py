"""Routes to list, create, read and delete workspaces."""

from fastapi import APIRouter
from starlette.responses import Response

from polyadic.query.workspace_status import CostLedger
from polyadic.server.dependencies import Caller, Name, Reading, ReadingAll, Served
from polyadic.server.query_service import source_names
from polyadic.server.schemas import NewWorkspace, WorkspaceList, WorkspaceView
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces", tags=["workspaces"])


@router.get("", summary="List workspaces")
async def workspaces(service: Served, key: Caller) -> WorkspaceList:
    """List the workspaces that your key gives access to, by name."""
    return WorkspaceList(workspaces=await service.workspaces.names(key))


@router.post("", status_code=201, summary="Create a workspace")
async def create(new: NewWorkspace, service: Served, key: Caller) -> WorkspaceView:
    """The workspace gets the server's default settings; your key must allow writing to this name."""
    await service.workspaces.create(new.name, key)
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


@router.get("/{workspace}/ledger", summary="Usage and cost")
def ledger(workspace: Name, kb: ReadingAll) -> CostLedger:
    """List every paid model call, with totals by purpose and by document."""
    return source_names(kb).applied(kb.ledger())


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
