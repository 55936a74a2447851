"""Tool ``search_facts``: facts by meaning, by the entities that they connect, or by both."""

from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from polyadic import lookup
from polyadic.construction.store_memory import StoreMemory
from polyadic.knowledge import Item
from polyadic.mcp import bounds, views
from polyadic.mcp.access import read
from polyadic.mcp.results import Found, Result
from polyadic.mcp.tools.selecting import Selecting
from polyadic.mcp.tools.tool import Name, Tool
from polyadic.models.paying import Bill
from polyadic.retrieval.items import fact_items
from polyadic.store.protocol import Reader, Vectors
from polyadic.workspace import Workspace

# Of what connects the entities, the most complete facts are compared with the words.
_COMPARED = 2_000


class SearchArguments(Selecting):
    """What the facts are to be about."""

    words: Annotated[str, Field(max_length=bounds.STATEMENT)] = ""
    """What the facts should say: a statement, a question or some words."""
    entities: Annotated[list[Name], Field(max_length=10)] = Field(default_factory=list)
    """Names of entities that each fact has to connect, all of them."""
    limit: Annotated[int, Field(ge=1, le=bounds.ITEMS)] = 10
    """How many facts to return at most."""

    @model_validator(mode="after")
    def _about_something(self) -> Self:
        if not (self.words.strip() or self.entities):
            raise ValueError("give words, entities or both")
        return self


class SearchResult(Result):
    """Facts, best first."""

    facts: list[Found]


async def run(workspace: Workspace, sought: SearchArguments) -> SearchResult:
    only = await sought.only(workspace)
    vector = await _vector(workspace, sought.words) if sought.words.strip() else None
    items = await read(workspace, lambda reader: _items(reader, sought, vector), only)
    return SearchResult(facts=[views.found(item) for item in items])


async def _vector(workspace: Workspace, words: str) -> Vectors:
    """The vector of the words; what an endpoint is paid for it is entered in the ledger."""
    embedder, bill = workspace.embedder, Bill(StoreMemory(workspace.store()))
    try:
        return np.asarray((await embedder.embed([words]))[0], dtype=np.float32)
    finally:
        await bill.enter_embedding(embedder)


def _items(reader: Reader, sought: SearchArguments, vector: Vectors | None) -> list[Item]:
    if not sought.entities:
        assert vector is not None  # noqa: S101
        hits = reader.nearest("fact", vector, sought.limit)
        return fact_items(hits.rows, hits.scores, _similar(hits.scores), reader)
    named = [lookup.entity_row(reader, name) for name in sought.entities]
    together = "connects what was named"
    if vector is None:
        rows = lookup.facts_of_all(reader, named, sought.limit)
        return fact_items(rows, reader.scores("fact", rows), [together] * len(rows), reader)
    rows = lookup.facts_of_all(reader, named, _COMPARED)
    similarity = reader.similarity("fact", rows, vector[None, :])[0]
    best = np.argsort(-similarity, kind="stable")[: sought.limit]
    whys = [f"{together}, {why}" for why in _similar(similarity[best])]
    return fact_items(rows[best], similarity[best], whys, reader)


def _similar(scores: Vectors) -> list[str]:
    return [f"similar to the words ({score:.2f})" for score in scores.tolist()]


TOOL = Tool(
    "search_facts",
    "Search facts",
    "Find facts: single statements with everything they connect and where documents state them. Search by meaning with"
    " words, by names with entities (facts that connect all of them), or by both. No language model is asked.",
    SearchArguments,
    SearchResult,
    run,
)
