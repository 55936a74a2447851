"""Tool ``search_facts``: search facts by meaning, by the entities they connect, or both."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from polyadic.mcp import limits, results
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import RetrievedResult, ToolResult
from polyadic.mcp.tools.tool import DocumentFilterArguments, Name, Tool
from polyadic.model.types import Item
from polyadic.query import lookup
from polyadic.query.fact_details import items_with_details
from polyadic.query.fact_search import search_facts, vector_of
from polyadic.retrieval.items import fact_items
from polyadic.storage.protocol import Reader, Vectors


class SearchArguments(DocumentFilterArguments):
    """The facts to search for."""

    words: Annotated[str, Field(max_length=limits.ITEM_TEXT)] = ""
    """What the facts should say: a sentence, a question or some words."""
    entities: Annotated[list[Name], Field(max_length=10)] = Field(default_factory=list)
    """Names of entities; each fact has to connect all of them."""
    limit: Annotated[int, Field(ge=1, le=limits.ITEMS)] = 10
    """Maximum number of facts."""

    @model_validator(mode="after")
    def _require_criteria(self) -> Self:
        if not (self.words.strip() or self.entities):
            raise ValueError("give words, entities or both")
        return self


class SearchResult(ToolResult):
    """Facts, best first."""

    facts: list[RetrievedResult]


async def run(access: WorkspaceAccess, sought: SearchArguments) -> SearchResult:
    workspace = access.workspace
    only = await sought.only(access)
    vector = await vector_of(sought.words, workspace.store(), workspace.embedder)
    items = await read(workspace, lambda reader: access.names(reader).applied(_items(reader, sought, vector)), only)
    return SearchResult(facts=[results.retrieved_result(item) for item in items])


def _items(reader: Reader, sought: SearchArguments, vector: Vectors | None) -> list[Item]:
    named = [lookup.entity_row(reader, name) for name in sought.entities]
    hits = search_facts(reader, vector, named, sought.limit)
    similar = [""] * len(hits.rows) if vector is None else _similarity_reasons(hits.scores)
    connecting = "connects what was named" if named else ""
    whys = [", ".join(filter(None, (connecting, why))) for why in similar]
    return list(items_with_details(fact_items(hits.rows, hits.scores, whys, reader), reader))


def _similarity_reasons(scores: Vectors) -> list[str]:
    return [f"similar to the words ({score:.2f})" for score in scores.tolist()]


TOOL = Tool(
    "search_facts",
    "Search facts",
    "Search facts: single sentences, the entities they connect and their places in documents. Search by meaning with"
    " words, by name with entities (facts that connect all of them), or both. No language model is called.",
    SearchArguments,
    SearchResult,
    run,
)
