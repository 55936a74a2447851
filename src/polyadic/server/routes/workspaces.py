"""Workspaces: which there are, making, looking at and deleting them."""

from fastapi import APIRouter
from starlette.responses import Response

from polyadic.query.workspace_status import CostLedger
from polyadic.server.dependencies import Caller, Name, Reading, Served
from polyadic.server.schemas import NewWorkspace, WorkspaceList, WorkspaceView
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces", tags=["workspaces"])


@router.get("", summary="The workspaces that your key opens")
async def workspaces(service: Served, key: Caller) -> WorkspaceList:
    """By name."""
    return WorkspaceList(workspaces=await service.workspaces.names(key))


@router.post("", status_code=201, summary="Make a workspace")
async def create(new: NewWorkspace, service: Served, key: Caller) -> WorkspaceView:
    """It is set up as the server's operator says; your key has to open the name for writing."""
    await service.workspaces.create(new.name, key)
    async with service.workspaces.opened(new.name, key, "read") as kb:
        return _view(kb, new.name, key)


@router.get("/{workspace}", summary="What a workspace holds")
def show(workspace: Name, kb: Reading, key: Caller) -> WorkspaceView:
    """Counts, sizes and models."""
    return _view(kb, workspace, key)


@router.delete("/{workspace}", status_code=204, summary="Delete a workspace", response_class=Response)
async def delete(workspace: Name, service: Served, key: Caller) -> None:
    """All that it holds is gone, and its jobs are stopped."""
    await service.workspaces.delete(workspace, key, service.jobs.forget)


@router.get("/{workspace}/ledger", summary="What models were paid")
def ledger(workspace: Name, kb: Reading) -> CostLedger:
    """Every call that was paid for, and what they sum to by purpose and by document."""
    return kb.ledger()


def _view(kb: Workspace, name: str, key: Caller) -> WorkspaceView:
    status, settings = kb.status(), kb.settings
    return WorkspaceView(
        name=name,
        counts=status.counts,
        arities=status.arities,
        bytes=status.bytes,
        embedder=status.embedder,
        model=settings.model.name,
        method=settings.retrieval.method,
        access=key.access,
    )
