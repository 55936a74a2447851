"""The hierarchy: themes over all facts, as a tree in pages."""

from typing import Annotated

from fastapi import APIRouter, Query

from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.hierarchy_schemas import CommunityView, HierarchyPage, HierarchyView, SummaryView, Tree
from polyadic.server.hierarchy_views import community_view, hierarchy_of, nodes_under, summary_view
from polyadic.server.schemas import Identifier
from polyadic.server.threads import run_in_worker_thread

router = APIRouter(prefix="/v1/workspaces/{workspace}/hierarchy", tags=["hierarchy"])
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("", summary="How the hierarchy stands")
async def hierarchy(workspace: Name, kb: Reading, service: Served, limit: Limit = 50) -> HierarchyView:
    """Its layers, and the top of its two trees: summaries, and communities. What is stale is left out of both."""
    return await run_in_worker_thread(service, hierarchy_of, kb, limit)


@router.get("/nodes", summary="What is below a node of the hierarchy")
async def nodes(
    workspace: Name,
    kb: Reading,
    service: Served,
    tree: Annotated[Tree, Query(description="of which tree")] = "summaries",
    under: Annotated[Identifier | None, Query(description="the node; the top of the tree if left out")] = None,
    start: Annotated[int, Query(ge=0, le=2**31, description="`next` of the page before")] = 0,
    limit: Limit = 50,
) -> HierarchyPage:
    """What a summary covers, or the parts of a community; in pages."""
    return await run_in_worker_thread(service, nodes_under, kb, tree, under or "", start, limit)


@router.get("/summaries/{summary}", summary="A summary")
async def summary(workspace: Name, summary: Identifier, kb: Reading, service: Served) -> SummaryView:
    """What it says, and what it covers."""
    return await run_in_worker_thread(service, summary_view, kb, summary)


@router.get("/communities/{community}", summary="A community")
async def community(workspace: Name, community: Identifier, kb: Reading, service: Served) -> CommunityView:
    """Its report: what it says, how much it matters, and the facts that each finding rests on."""
    return await run_in_worker_thread(service, community_view, kb, community)
