"""Routes for the hierarchy of summaries and communities: build it, and read it as trees in pages."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from polyadic.hierarchy.api import By, wanted
from polyadic.llm.budget import SpendingBudget, check_prices
from polyadic.optional_dependencies import has_hierarchy
from polyadic.server.dependencies import Name, Reading, Served, Writing
from polyadic.server.hierarchy_views import (
    CommunityView,
    HierarchyPage,
    HierarchyView,
    SummaryView,
    Tree,
    community_view,
    hierarchy_of,
    nodes_under,
    summary_view,
)
from polyadic.server.job_submission import ACCEPTED, Budget, RequestedId, SpendTokens, accepted, start_once
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ProblemError
from polyadic.server.schemas import Identifier
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}/hierarchy", tags=["hierarchy"])
_TOO_LONG = errors(504)
Limit = Annotated[int, Query(ge=1, le=200)]


@router.post("", status_code=202, summary="Build the hierarchy", responses=ACCEPTED)
async def build(
    workspace: Name,
    kb: Writing,
    service: Served,
    response: Response,
    job: RequestedId,
    by: Annotated[By | None, Query(description="who writes the texts; the workspace's setting by default")] = None,
    rebuild: Annotated[bool, Query(description="cluster everything again and rewrite all texts")] = False,
    budget: Budget = None,
    spend_tokens: SpendTokens = None,
) -> Job:
    """Build the hierarchy, or update it to the current facts; a job does it. Parts without changed sources are kept.

    If the job stops early, the hierarchy does not change. Replies of the language model are kept, so resuming the job
    pays for none of them again. 409 if the packages are not installed, or if no language model is configured.
    """
    _check_can_build(kb, by, budget)
    build_request = JobRequest("hierarchy", None, budget, spend_tokens, by=by, rebuild=rebuild).with_content()

    async def requested() -> JobRequest:
        return build_request

    async def start() -> Job:
        return await service.jobs.add(
            workspace, build_request, service.tenants.upload_store.new_upload(workspace, job), 0
        )

    return accepted(response, await start_once(service, workspace, job, requested, start))


@router.get("", summary="Get the hierarchy", responses=_TOO_LONG)
async def hierarchy(workspace: Name, kb: Reading, service: Served, limit: Limit = 50) -> HierarchyView:
    """Return its layers and the top of both trees, summaries and communities. Stale nodes are left out."""
    return await service.run_admitted(hierarchy_of, kb, limit)


@router.get("/nodes", summary="List hierarchy nodes", responses=_TOO_LONG)
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


@router.get("/summaries/{summary}", summary="Get a summary", responses=_TOO_LONG)
async def summary(workspace: Name, summary: Identifier, kb: Reading, service: Served) -> SummaryView:
    """Return a summary and what it covers."""
    return await service.run_admitted(summary_view, kb, summary)


@router.get("/communities/{community}", summary="Get a community", responses=_TOO_LONG)
async def community(workspace: Name, community: Identifier, kb: Reading, service: Served) -> CommunityView:
    """Return the report of a community: summary, rating, and findings with the facts that support them."""
    return await service.run_admitted(community_view, kb, community)


def _check_can_build(kb: Workspace, by: By | None, budget: float | None) -> None:
    if not has_hierarchy():
        detail = "the server cannot build hierarchies: its operator has not installed the extra hierarchy"
        raise ProblemError(409, "not-installed", detail)
    if wanted(by, kb.settings) == "model":
        if not kb.settings.model.of_role("summaries").name:
            detail = "the workspace has no language model: build the hierarchy with by=extractive"
            raise ProblemError(409, "not-configured", detail)
        check_prices(SpendingBudget(budget, None), kb.settings.model, "summaries")
