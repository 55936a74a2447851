"""Routes of the catalogue: list all entities, entity types and facts, page by page."""

from typing import Annotated

from fastapi import APIRouter, Query

from polyadic.server.catalogue import EntityPage, EntityTypes, FactPage, entities_page, entity_types, facts_page
from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.openapi import errors

router = APIRouter(prefix="/v1/workspaces/{workspace}/catalogue", tags=["knowledge"], responses=errors(504))
Start = Annotated[int, Query(ge=0, le=2**31, description="`next` of the previous page")]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("/entities", summary="List all entities")
async def entities(
    workspace: Name,
    kb: Reading,
    service: Served,
    type: Annotated[str | None, Query(max_length=200, description="only this type; empty: without a type")] = None,
    prefix: Annotated[str, Query(max_length=200, description="only names with a word that starts with this")] = "",
    start: Start = 0,
    limit: Limit = 50,
) -> EntityPage:
    """List entities in pages, the best connected first."""
    return await service.run_admitted(entities_page, kb, type, prefix, start, limit)


@router.get("/types", summary="List entity types")
async def types(workspace: Name, kb: Reading, service: Served) -> EntityTypes:
    """List entity types with the number of entities of each, the most frequent first."""
    return await service.run_admitted(entity_types, kb)


@router.get("/facts", summary="List all facts")
async def facts(
    workspace: Name,
    kb: Reading,
    service: Served,
    arity: Annotated[int | None, Query(ge=2, le=1000, description="only facts that connect this many entities")] = None,
    start: Start = 0,
    limit: Limit = 50,
) -> FactPage:
    """List facts in pages, the most complete first."""
    return await service.run_admitted(facts_page, kb, arity, start, limit)
