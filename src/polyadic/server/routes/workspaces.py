"""Routes to list, create, read and delete workspaces, and to read their usage and settings."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from polyadic import __version__
from polyadic.config import METHODS, Settings
from polyadic.embeddings.loading import embedder_name
from polyadic.extraction import factory
from polyadic.hierarchy.api import wanted
from polyadic.server.dependencies import Caller, Name, Reading, ReadingAll, Served
from polyadic.server.openapi import errors
from polyadic.server.query_service import source_names
from polyadic.server.schemas import LedgerPage, NewWorkspace, SettingsView, WorkspaceList, WorkspaceView
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


@router.get("/{workspace}/settings", summary="Get the settings of a workspace")
def settings(workspace: Name, kb: Reading) -> SettingsView:
    """Return the settings that control indexing and answers; addresses and keys are left out."""
    return _settings_view(kb.settings)


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


def _settings_view(settings: Settings) -> SettingsView:
    """Build the settings view, with ``auto`` replaced by the choice it stands for.

    >>> view = _settings_view(Settings())
    >>> view.extractor, view.chunk_tokens, view.answers
    ('sentences', 250, 'quotes')
    """
    extractor = factory.wanted(None, settings)
    model = settings.model.of_role("answers")
    answers = settings.answer.by if settings.answer.by != "auto" else "model" if model.name else "quotes"
    return SettingsView(
        model=model.name,
        model_context_tokens=model.context_tokens if model.name else 0,
        embedder=embedder_name(settings.embedding),
        extractor=extractor,
        entity_types=list(settings.extraction.entity_types),
        gleanings=settings.extraction.gleanings,
        chunk_tokens=settings.chunking.tokens,
        chunk_overlap=settings.chunking.overlap,
        language=settings.chunking.language,
        method=settings.retrieval.method,
        methods=list(METHODS),
        context_tokens=settings.retrieval.context_tokens,
        answers=answers,
        hierarchy_by=wanted(None, settings),
        ocr=settings.ocr.engine != "off",
        version=__version__,
    )
