"""All entities and facts, page by page."""

from typing import Annotated

from fastapi import APIRouter, Query

from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.pagination import EntityPage, EntityTypes, FactPage, entities_page, entity_types, facts_page
from polyadic.server.threads import run_in_worker_thread

router = APIRouter(prefix="/v1/workspaces/{workspace}/catalogue", tags=["knowledge"])
Start = Annotated[int, Query(ge=0, le=2**31, description="`next` of the page before")]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("/entities", summary="All entities")
async def entities(
    workspace: Name,
    kb: Reading,
    service: Served,
    type: Annotated[str | None, Query(max_length=200, description="of this type alone; empty: without one")] = None,
    prefix: Annotated[str, Query(max_length=200, description="what a word of the name begins with")] = "",
    start: Start = 0,
    limit: Limit = 50,
) -> EntityPage:
    """The best connected first, in pages."""
    return await run_in_worker_thread(service, entities_page, kb, type, prefix, start, limit)


@router.get("/types", summary="The types of entities")
async def types(workspace: Name, kb: Reading, service: Served) -> EntityTypes:
    """With how many entities there are of each, the most frequent first."""
    return await run_in_worker_thread(service, entity_types, kb)


@router.get("/facts", summary="All facts")
async def facts(
    workspace: Name,
    kb: Reading,
    service: Served,
    arity: Annotated[int | None, Query(ge=2, le=1000, description="that connect so many entities")] = None,
    start: Start = 0,
    limit: Limit = 50,
) -> FactPage:
    """The most complete first, in pages."""
    return await run_in_worker_thread(service, facts_page, kb, arity, start, limit)
