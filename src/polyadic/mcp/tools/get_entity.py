"""Tool ``get_entity``: an entity and the facts about it."""

from typing import Annotated

import numpy as np
from pydantic import Field

from polyadic.mcp import limits, results
from polyadic.mcp.limits import cut
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Name, Tool, ToolArguments
from polyadic.query import lookup
from polyadic.query.fact_details import fact_details
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Reader


class EntityArguments(ToolArguments):
    """An entity and the number of facts to return."""

    entity: Name
    """Name as in the documents, or identifier."""
    limit: Annotated[int, Field(ge=0, le=limits.FACTS)] = 20
    """Maximum number of facts, the most complete first."""


class EntityResult(ToolResult):
    """An entity and facts that it takes part in."""

    id: str
    name: str
    type: str
    """Entity type; empty if documents were indexed without a language model."""
    description: str
    score: float
    """Confidence that this is an entity, above 0 and up to 100."""
    fact_count: int
    """Number of facts that it takes part in."""
    facts: list[results.FactResult]


async def run(access: WorkspaceAccess, wanted: EntityArguments) -> EntityResult:
    return await read(access.workspace, lambda reader: _result(reader, access.names(reader), wanted))


def _result(reader: Reader, names: SourceNames, wanted: EntityArguments) -> EntityResult:
    row = lookup.entity_row(reader, wanted.entity)
    entity = reader.entities(np.array([row]))[0]
    rows = lookup.facts_of_all(reader, [row], wanted.limit)
    stated = list(zip(reader.facts(rows), names.applied(reader.fact_places(rows)), strict=True))
    details = fact_details(reader, {fact.id: places for fact, places in stated})
    return EntityResult(
        id=entity.id,
        name=cut(entity.name, limits.NAME),
        type=cut(entity.type, limits.NAME),
        description=cut(entity.description, limits.ITEM_TEXT),
        score=entity.score,
        fact_count=entity.facts,
        facts=[results.fact(fact, places, details.get(fact.id, ())) for fact, places in stated],
    )


TOOL = Tool(
    "get_entity",
    "Look up an entity",
    "Look up a person, place or thing that the documents name: its type, its description and the facts that name it,"
    " each with the places where documents state it.",
    EntityArguments,
    EntityResult,
    run,
)
