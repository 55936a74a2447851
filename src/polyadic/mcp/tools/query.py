"""Tool ``query``: an answer with citations, or only what bears on a question."""

from typing import Annotated

from pydantic import Field

from polyadic.config import MethodName
from polyadic.mcp import limits, views
from polyadic.mcp.limits import cut
from polyadic.mcp.request_context import WorkspaceAccess
from polyadic.mcp.results import CitationResult, RetrievedResult, ToolResult
from polyadic.mcp.tools.document_filter import DocumentFilterArguments
from polyadic.mcp.tools.tool import Tool
from polyadic.model.types import Answer, Knowledge


class QueryArguments(DocumentFilterArguments):
    """A question, and how it is to be answered."""

    question: Annotated[str, Field(min_length=1, max_length=limits.QUESTION, pattern=r"\S")]
    """The question, in any language that the documents use; it has to make sense by itself."""
    answer: bool = True
    """Whether to answer; false brings only the knowledge that bears on the question."""
    method: MethodName | None = None
    """How knowledge is found; as the workspace's settings say if left out."""
    context_tokens: Annotated[int, Field(ge=1, le=limits.CONTEXT_TOKENS)] | None = None
    """How many tokens the knowledge may have; as the workspace's settings say if left out."""
    items: Annotated[int, Field(ge=0, le=limits.ITEMS)] = 10
    """How many items of the knowledge to return beside the answer, best first."""


class QueryResult(ToolResult):
    """An answer and what it rests on."""

    question: str
    answer: str | None
    """The answer, with markers such as [1]; null where none was asked for."""
    answered: bool
    """False where the documents do not support any answer, or none was asked for."""
    confidence: float | None
    """How probable it is that the documents answer, in (0, 1); null where a language model answered."""
    note: str
    """How the answer was made: of quoted sentences, or by which language model."""
    citations: list[CitationResult]
    """What each marker in the answer points at."""
    knowledge: list[RetrievedResult]
    """What was found for the question, best first."""
    further: int
    """How many more items were found than are returned here."""
    method: str
    tokens: int
    """Tokens that language models were paid for."""
    money: float
    """What they cost by the prices in the settings."""


async def run(access: WorkspaceAccess, asked: QueryArguments) -> QueryResult:
    workspace = access.workspace
    only = await asked.only(workspace)
    if not asked.answer:
        found = await workspace.aretrieve(asked.question, asked.method, asked.context_tokens, only)
        return _result(found, None, asked.items)
    answer = await workspace.aquery(asked.question, asked.method, asked.context_tokens, only=only)
    return _result(answer.knowledge, answer, asked.items)


def _result(knowledge: Knowledge, answer: Answer | None, items: int) -> QueryResult:
    usage = answer.usage if answer else knowledge.usage
    return QueryResult(
        question=knowledge.question,
        answer=cut(answer.text, limits.ANSWER) if answer else None,
        answered=answer is not None and answer.answered,
        confidence=answer.confidence if answer else None,
        note=answer.note if answer else "",
        citations=[views.citation(cited) for cited in answer.citations[: limits.CITATIONS]] if answer else [],
        knowledge=[views.retrieved_result(item) for item in knowledge.items[:items]],
        further=max(0, len(knowledge.items) - items) + knowledge.omitted,
        method=knowledge.method,
        tokens=usage.tokens,
        money=usage.money,
    )


TOOL = Tool(
    "query",
    "Ask the documents",
    "Answer a question from the documents, with citations that give document, page, characters and the quoted words."
    " With answer=false only the facts and passages that bear on it are returned.",
    QueryArguments,
    QueryResult,
    run,
)
