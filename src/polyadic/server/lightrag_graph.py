"""LightRAG-compatible routes for the graph: entities, their neighbourhoods, and merging.

A LightRAG graph has edges between two entities. Facts are expanded to cliques: each pair of entities that a fact
connects gets an edge, whose description contains the texts of all facts of the pair.
"""

from itertools import combinations
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from polyadic.model.identity import entity_id, entity_key
from polyadic.model.types import Entity
from polyadic.server.catalogue import EntityPage, entities_page
from polyadic.server.dependencies import Caller, Served
from polyadic.server.graph_search import NeighbourhoodResult, around, overview
from polyadic.server.openapi import errors
from polyadic.server.problem_details import ParameterError
from polyadic.workspace import Workspace

_ALL = "*"
_MOST_HOPS = 3
_MOST_LABELS = 1000
_Name = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
_LabelLimit = Annotated[int, Query(ge=1, le=_MOST_LABELS)]
_SearchLimit = Annotated[int, Query(ge=1, le=100)]


class LightRAGNode(BaseModel):
    id: str
    labels: list[str]
    properties: dict[str, Any]


class LightRAGEdge(BaseModel):
    """A pair of entities; ``weight`` is the number of facts that connect them."""

    id: str
    type: str | None
    source: str
    target: str
    properties: dict[str, Any]


class LightRAGGraph(BaseModel):
    nodes: list[LightRAGNode]
    edges: list[LightRAGEdge]
    is_truncated: bool


class LightRAGExistence(BaseModel):
    exists: bool


class LightRAGMergeRequest(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"entities_to_change": ["Ada Byron"], "entity_to_change_into": "Ada Lovelace"}]}
    )

    entities_to_change: list[_Name] = Field(min_length=1, max_length=100)
    entity_to_change_into: _Name


class LightRAGEditRequest(BaseModel):
    """A change of an entity; only its name can be changed, to that of another entity, which merges the two."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "entity_name": "Ada Byron",
                    "updated_data": {"entity_name": "Ada Lovelace"},
                    "allow_rename": True,
                    "allow_merge": True,
                }
            ]
        }
    )

    entity_name: _Name
    updated_data: dict[str, Any] = Field(max_length=20)
    allow_rename: bool = False
    allow_merge: bool = False

    def target(self) -> str:
        """Return the name of the entity to merge into.

        Raises
        ------
        ParameterError
            Something else is requested than a merge (400).
        """
        name = self.updated_data.get("entity_name")
        if set(self.updated_data) != {"entity_name"} or not isinstance(name, str) or not name.strip():
            detail = "types and descriptions come from the documents; only entity_name can be changed"
            raise ParameterError("updated_data", detail)
        if not (self.allow_rename and self.allow_merge):
            detail = "an entity can only be renamed to another one, which needs allow_rename and allow_merge"
            raise ParameterError("allow_merge", detail)
        return name


class LightRAGMergeResponse(BaseModel):
    status: Literal["success"] = "success"
    message: str
    data: dict[str, Any]
    operation_summary: dict[str, Any] | None = None


def add_graph_routes(router: APIRouter, name: Any, where_named: str) -> None:
    """Add the routes; the dependency ``name`` gives the workspace name, ``where_named`` ends each summary."""
    _add_reading(router, name, where_named)
    _add_merging(router, name, where_named)


def _add_reading(router: APIRouter, name: Any, where_named: str) -> None:
    where = Annotated[str, Depends(name)]

    async def labels(workspace: where, service: Served, key: Caller) -> list[str]:
        """List the names of the 1,000 best connected entities in alphabetical order."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            page = await service.run_admitted(entities_page, kb, None, "", 0, _MOST_LABELS)
        return sorted(_names(page))

    async def popular(workspace: where, service: Served, key: Caller, limit: _LabelLimit = 300) -> list[str]:
        """List the names of the best connected entities, best first."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            return _names(await service.run_admitted(entities_page, kb, None, "", 0, limit))

    async def search(
        workspace: where,
        service: Served,
        key: Caller,
        q: Annotated[str, Query(max_length=200, description="start of a word in the name")],
        limit: _SearchLimit = 50,
    ) -> list[str]:
        """List the names of entities with a word that starts with the text, best connected first."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            return _names(await service.run_admitted(entities_page, kb, None, q, 0, limit))

    async def graph(
        workspace: where,
        service: Served,
        key: Caller,
        label: Annotated[str, Query(max_length=1000, description="name of an entity; * for the best connected ones")],
        max_depth: Annotated[int, Query(ge=1, description=f"at most {_MOST_HOPS} are used")] = _MOST_HOPS,
        max_nodes: Annotated[int, Query(ge=1, description="the server's limit, if it is less")] = 1000,
    ) -> LightRAGGraph:
        """Return the neighbourhood of an entity. It is empty if there is no such entity."""
        limit = min(max_nodes, service.limits.graph_entities)
        async with service.workspaces.opened(workspace, key, "read") as kb:
            return await service.run_admitted(_graph, kb, label, min(max_depth, _MOST_HOPS), limit)

    async def exists(
        workspace: where, service: Served, key: Caller, name: Annotated[str, Query(max_length=1000)]
    ) -> LightRAGExistence:
        """Return whether there is an entity of this name."""
        async with service.workspaces.opened(workspace, key, "read") as kb:
            return LightRAGExistence(exists=await service.run_admitted(_entity, kb, name) is not None)

    slow = errors(504)
    router.get("/graph/label/list", summary=f"LightRAG: list entity names{where_named}", responses=slow)(labels)
    router.get("/graph/label/popular", summary=f"LightRAG: list popular names{where_named}", responses=slow)(popular)
    router.get("/graph/label/search", summary=f"LightRAG: search entity names{where_named}", responses=slow)(search)
    router.get("/graphs", summary=f"LightRAG: get a graph{where_named}", responses=slow)(graph)
    router.get("/graph/entity/exists", summary=f"LightRAG: check an entity{where_named}", responses=slow)(exists)


def _add_merging(router: APIRouter, name: Any, where_named: str) -> None:
    where = Annotated[str, Depends(name)]

    async def merge(
        asked: LightRAGMergeRequest, workspace: where, service: Served, key: Caller
    ) -> LightRAGMergeResponse:
        """Merge entities into one that exists. `polyadic entities undo` separates them again."""
        into = asked.entity_to_change_into
        async with service.workspaces.opened(workspace, key, "write") as kb:
            await service.work.run(kb.entities.amerge([*asked.entities_to_change, into], into))
            merged = await service.run_admitted(_entity, kb, into)
        return LightRAGMergeResponse(message=f"Merged into {into}.", data=_data(merged))

    async def edit(asked: LightRAGEditRequest, workspace: where, service: Served, key: Caller) -> LightRAGMergeResponse:
        """Merge an entity into another one by giving it the other's name. Other changes are refused."""
        into = asked.target()
        async with service.workspaces.opened(workspace, key, "write") as kb:
            await service.work.run(kb.entities.amerge([asked.entity_name, into], into))
            merged = await service.run_admitted(_entity, kb, into)
        return LightRAGMergeResponse(
            message=f"Merged into {into}.",
            data=_data(merged),
            operation_summary={
                "merged": True,
                "merge_status": "success",
                "merge_error": None,
                "operation_status": "success",
                "target_entity": into,
                "final_entity": into,
                "renamed": False,
            },
        )

    writes = errors(502, 504)
    router.post("/graph/entities/merge", summary=f"LightRAG: merge entities{where_named}", responses=writes)(merge)
    router.post("/graph/entity/edit", summary=f"LightRAG: edit an entity{where_named}", responses=writes)(edit)


def _names(page: EntityPage) -> list[str]:
    return [entity.name for entity in page.entities]


def _entity(kb: Workspace, name: str) -> Entity | None:
    with kb.store().read() as reader:
        found = reader.entities(reader.rows("entity", entity_id(entity_key(name)), 1))
        return found[0] if found else None


def _graph(kb: Workspace, label: str, hops: int, limit: int) -> LightRAGGraph:
    if label == _ALL:
        return _expanded(overview(kb, limit))
    entity = _entity(kb, label)
    if entity is None:
        return LightRAGGraph(nodes=[], edges=[], is_truncated=False)
    return _expanded(around(kb, "entity", [entity.id], hops, limit))


def _expanded(found: NeighbourhoodResult) -> LightRAGGraph:
    names = {entity.id: entity.name for entity in found.entities}
    texts: dict[tuple[str, str], dict[str, None]] = {}
    for fact, members in found.facts:
        for pair in combinations(sorted(names[member] for member in members), 2):
            texts.setdefault(pair, {})[fact.text] = None
    edges = [
        LightRAGEdge(
            id=f"{source}-{target}",
            type="DIRECTED",
            source=source,
            target=target,
            properties={"description": "\n".join(facts), "weight": len(facts), "keywords": ""},
        )
        for (source, target), facts in texts.items()
    ]
    nodes = [LightRAGNode(id=one.name, labels=[one.name], properties=_data(one)) for one in found.entities]
    return LightRAGGraph(nodes=nodes, edges=edges, is_truncated=not found.complete)


def _data(entity: Entity | None) -> dict[str, Any]:
    if entity is None:
        return {}
    return {
        "entity_id": entity.name,
        "entity_name": entity.name,
        "entity_type": entity.type,
        "description": entity.description,
    }
