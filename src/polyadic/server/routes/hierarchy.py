"""Routes for the hierarchy of summaries and communities, as trees in pages."""

from typing import Annotated

from fastapi import APIRouter, Query

from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.hierarchy_schemas import CommunityView, HierarchyPage, HierarchyView, SummaryView, Tree
from polyadic.server.hierarchy_views import community_view, hierarchy_of, nodes_under, summary_view
from polyadic.server.openapi import errors
from polyadic.server.schemas import Identifier

router = APIRouter(prefix="/v1/workspaces/{workspace}/hierarchy", tags=["hierarchy"], responses=errors(504))
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("", summary="Get the hierarchy")
async def hierarchy(workspace: Name, kb: Reading, service: Served, limit: Limit = 50) -> HierarchyView:
    """Return its layers and the top of both trees, summaries and communities. Stale nodes are left out."""
    return await service.run_admitted(hierarchy_of, kb, limit)


@router.get("/nodes", summary="List hierarchy nodes")
async def nodes(
    workspace: Name,
    kb: Reading,
    service: Served,
    tree: Annotated[Tree, Query(description="which tree")] = "summaries",
    under: Annotated[Identifier | None, Query(description="the parent node; the top of the tree by default")] = None,
    start: Annotated[int, Query(ge=0, le=2**31, description="`next` of the previous page")] = 0,
    limit: Limit = 50,
) -> HierarchyPage:
    """List what a summary covers, or the subcommunities of a community, in pages."""
    return await service.run_admitted(nodes_under, kb, tree, under or "", start, limit)


@router.get("/summaries/{summary}", summary="Get a summary")
async def summary(workspace: Name, summary: Identifier, kb: Reading, service: Served) -> SummaryView:
    """Return a summary and what it covers."""
    return await service.run_admitted(summary_view, kb, summary)


@router.get("/communities/{community}", summary="Get a community")
async def community(workspace: Name, community: Identifier, kb: Reading, service: Served) -> CommunityView:
    """Return the report of a community: summary, rating, and findings with the facts that support them."""
    return await service.run_admitted(community_view, kb, community)
