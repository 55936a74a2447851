"""Routes to search and explore the hypergraph of entities and facts."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from polyadic.query.lookup import FactView
from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.graph_search import (
    NeighbourhoodResult,
    around,
    entities_like,
    fact_with_places,
    facts_like,
    facts_of,
    overview,
    path_between,
)
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ProblemError
from polyadic.server.query_service import source_names
from polyadic.server.schemas import (
    EntityDetail,
    EntityFound,
    EntityList,
    FactDetail,
    FactFound,
    FactList,
    Hyperedge,
    Identifier,
    Neighbourhood,
    PathView,
)
from polyadic.server.server_state import ServerState
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["knowledge"])
Words = Annotated[str, Query(alias="q", max_length=1000, description="a name, or words to search by meaning")]
Limit = Annotated[int, Query(ge=1, le=200)]
Drawn = Annotated[int, Query(ge=1, description="maximum number of entities")]


@router.get("/entities", summary="Search entities", responses=errors(502, 504))
async def entities(workspace: Name, kb: Reading, service: Served, words: Words = "", limit: Limit = 20) -> EntityList:
    """Search entities: exact names first, then by meaning. Without `q`, the best connected ones."""
    async with service.turns.turn(workspace):
        hits = await service.work.run(entities_like(kb, words, limit))
    return EntityList(entities=[EntityFound(entity=entity, similarity=similarity) for entity, similarity in hits])


@router.get("/facts", summary="Search facts", responses=errors(502, 504))
async def facts(workspace: Name, kb: Reading, service: Served, words: Words = "", limit: Limit = 20) -> FactList:
    """Search facts by meaning. Without `q`, the most complete ones."""
    async with service.turns.turn(workspace):
        hits = await service.work.run(facts_like(kb, words, limit))
    return FactList(facts=[FactFound(fact=fact, similarity=similarity) for fact, similarity in hits])


@router.get("/entities/{entity}", summary="Get an entity")
def entity(workspace: Name, entity: Identifier, kb: Reading, limit: Limit = 20) -> EntityDetail:
    """Return an entity and its most complete facts."""
    record, stated = facts_of(kb, entity, limit)
    return EntityDetail(entity=record, facts=stated)


@router.get("/facts/{fact}", summary="Get a fact")
def fact(workspace: Name, fact: Identifier, kb: Reading) -> FactDetail:
    """Return a fact, the entities it connects, the places where it is stated, and what they say besides its text."""
    view: FactView = source_names(kb).applied(fact_with_places(kb, fact))
    return FactDetail(
        fact=view.fact, entities=list(view.entities), places=list(view.places), details=list(view.details)
    )


@router.get("/neighbourhood", summary="Get a neighbourhood")
def neighbourhood(
    workspace: Name,
    kb: Reading,
    service: Served,
    kind: Annotated[Literal["entity", "fact"], Query(description="kind of the starting points")],
    id: Annotated[list[Identifier], Query(min_length=1, max_length=200, description="starting points, by identifier")],
    hops: Annotated[int, Query(ge=0, le=3, description="number of steps from the starting points")] = 1,
    limit: Drawn = 200,
) -> Neighbourhood:
    """Return the facts and entities around the starting points, for drawing; the most complete facts first."""
    _check_limit(service, limit)
    return _neighbourhood(around(kb, kind, id, hops, limit))


@router.get("/overview", summary="Get an overview")
def beginning(workspace: Name, kb: Reading, service: Served, limit: Drawn = 150) -> Neighbourhood:
    """Return a start for a drawing: the best connected part, or the whole hypergraph if it is small enough."""
    _check_limit(service, limit)
    return _neighbourhood(overview(kb, limit))


@router.get("/path", summary="Find a path", responses=errors(504))
async def path(
    workspace: Name,
    kb: Reading,
    service: Served,
    start: Annotated[Identifier, Query(alias="from", description="an entity")],
    goal: Annotated[Identifier, Query(alias="to", description="another entity")],
) -> PathView:
    """Return a shortest path between two entities through at most 8 facts; it is empty if none is found."""
    return await service.run_admitted(_path, kb, start, goal)


def _path(kb: Workspace, start: str, goal: str) -> PathView:
    path, result = path_between(kb, start, goal)
    view = _neighbourhood(result)
    return PathView(path=path, entities=view.entities, facts=view.facts)


def _check_limit(service: ServerState, limit: int) -> None:
    if limit > service.limits.graph_entities:
        raise ProblemError(
            422, "invalid-request", f"a neighbourhood has at most {service.limits.graph_entities:,} entities"
        )


def _neighbourhood(result: NeighbourhoodResult) -> Neighbourhood:
    edges = [Hyperedge(fact=fact, entities=list(members)) for fact, members in result.facts]
    return Neighbourhood(entities=result.entities, facts=edges, complete=result.complete)
