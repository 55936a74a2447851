"""Tool ``get_entity``: who or what something is, and the facts about it."""

from typing import Annotated

import numpy as np
from pydantic import Field

from polyadic.mcp import limits, results, views
from polyadic.mcp.limits import cut
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import ToolResult
from polyadic.mcp.tools.tool import Name, Tool, ToolArguments
from polyadic.query import lookup
from polyadic.storage.protocol import Reader


class EntityArguments(ToolArguments):
    """Which entity, and how much about it."""

    entity: Name
    """A name as documents have it, or an identifier."""
    limit: Annotated[int, Field(ge=0, le=limits.FACTS)] = 20
    """How many facts to return at most, the most complete first."""


class EntityResult(ToolResult):
    """An entity and facts in which it takes part."""

    id: str
    name: str
    type: str
    """What kind of thing it is; empty where documents were read without a language model."""
    description: str
    score: float
    """How sure it is that this is an entity, above 0 and up to 100."""
    in_facts: int
    """In how many facts it takes part."""
    facts: list[results.FactResult]


async def run(access: WorkspaceAccess, wanted: EntityArguments) -> EntityResult:
    return await read(access.workspace, lambda reader: _result(reader, wanted))


def _result(reader: Reader, wanted: EntityArguments) -> EntityResult:
    row = lookup.entity_row(reader, wanted.entity)
    entity = reader.entities(np.array([row]))[0]
    rows = lookup.facts_of_all(reader, [row], wanted.limit)
    stated = zip(reader.facts(rows), reader.fact_places(rows), strict=True)
    return EntityResult(
        id=entity.id,
        name=cut(entity.name, limits.NAME),
        type=cut(entity.type, limits.NAME),
        description=cut(entity.description, limits.STATEMENT),
        score=entity.score,
        in_facts=entity.facts,
        facts=[views.fact(fact, places) for fact, places in stated],
    )


TOOL = Tool(
    "get_entity",
    "Look up an entity",
    "What is known about a person, place or thing that documents name: its type, its description and the facts in"
    " which it takes part, each with where documents state it.",
    EntityArguments,
    EntityResult,
    run,
)
