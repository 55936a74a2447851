"""The hypergraph itself: entities and facts, and what lies around them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from polyadic.query.lookup import FactView
from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.problem_details import ProblemError
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
)
from polyadic.server.search_service import (
    NeighbourhoodResult,
    around,
    entities_like,
    fact_with_places,
    facts_like,
    facts_of,
    overview,
)
from polyadic.server.service import ServerState

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["knowledge"])
Words = Annotated[str, Query(alias="q", max_length=1000, description="a name, or what it is about")]
Limit = Annotated[int, Query(ge=1, le=200)]
Drawn = Annotated[int, Query(ge=1, description="most entities")]


@router.get("/entities", summary="Search entities")
async def entities(workspace: Name, kb: Reading, service: Served, words: Words = "", limit: Limit = 20) -> EntityList:
    """Those with such a name first, then those nearest in meaning; the best connected where nothing is said."""
    async with service.turns.turn(workspace):
        found = await service.work.run(entities_like(kb, words, limit))
    return EntityList(entities=[EntityFound(entity=entity, similarity=similarity) for entity, similarity in found])


@router.get("/facts", summary="Search facts")
async def facts(workspace: Name, kb: Reading, service: Served, words: Words = "", limit: Limit = 20) -> FactList:
    """Those nearest in meaning; the most complete where nothing is said."""
    async with service.turns.turn(workspace):
        found = await service.work.run(facts_like(kb, words, limit))
    return FactList(facts=[FactFound(fact=fact, similarity=similarity) for fact, similarity in found])


@router.get("/entities/{entity}", summary="An entity")
def entity(workspace: Name, entity: Identifier, kb: Reading, limit: Limit = 20) -> EntityDetail:
    """With the most complete of its facts."""
    found, stated = facts_of(kb, entity, limit)
    return EntityDetail(entity=found, facts=stated)


@router.get("/facts/{fact}", summary="A fact")
def fact(workspace: Name, fact: Identifier, kb: Reading) -> FactDetail:
    """With what it connects, and where it is stated."""
    view: FactView = fact_with_places(kb, fact)
    return FactDetail(fact=view.fact, entities=list(view.entities), places=list(view.places))


@router.get("/neighbourhood", summary="What lies around an entity or a fact")
def neighbourhood(
    workspace: Name,
    kb: Reading,
    service: Served,
    kind: Annotated[Literal["entity", "fact"], Query(description="of what")],
    id: Annotated[list[Identifier], Query(min_length=1, max_length=200, description="its identifier, or several")],
    hops: Annotated[int, Query(ge=0, le=3, description="how many steps from there")] = 1,
    limit: Drawn = 200,
) -> Neighbourhood:
    """For a drawing: facts with all that they connect, the most complete first."""
    _bound(service, limit)
    return _told(around(kb, kind, id, hops, limit))


@router.get("/overview", summary="The best connected entities, and what lies around them")
def beginning(workspace: Name, kb: Reading, service: Served, limit: Drawn = 150) -> Neighbourhood:
    """Where a drawing may begin: the whole hypergraph, if it has no more entities than asked for."""
    _bound(service, limit)
    return _told(overview(kb, limit))


def _bound(service: ServerState, limit: int) -> None:
    if limit > service.limits.graph_entities:
        raise ProblemError(
            422, "invalid-request", f"a neighbourhood has at most {service.limits.graph_entities:,} entities"
        )


def _told(found: NeighbourhoodResult) -> Neighbourhood:
    edges = [Hyperedge(fact=fact, entities=list(members)) for fact, members in found.facts]
    return Neighbourhood(entities=found.entities, facts=edges, whole=found.whole)
