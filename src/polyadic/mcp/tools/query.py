"""Tool ``query``: answer a question with citations, or retrieve knowledge only."""

from typing import Annotated

from pydantic import Field

from polyadic.config import Effort, MethodName
from polyadic.errors import NO_MODEL
from polyadic.mcp import limits, results
from polyadic.mcp.limits import cut
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.results import CitationResult, RetrievedResult, ToolResult
from polyadic.mcp.tools.tool import DocumentFilterArguments, Tool
from polyadic.model.types import Answer, Knowledge


class QueryArguments(DocumentFilterArguments):
    """A question and how to answer it."""

    question: Annotated[str, Field(min_length=1, max_length=limits.QUESTION, pattern=r"\S")]
    """The question, in any language of the documents; it must be understandable on its own."""
    answer: bool = True
    """Whether to answer; false returns only the retrieved knowledge."""
    method: MethodName | None = None
    """Retrieval method; the workspace's setting by default."""
    context_tokens: Annotated[int, Field(ge=1, le=limits.CONTEXT_TOKENS)] | None = None
    """Token budget for the knowledge; the workspace's setting by default."""
    effort: Effort | None = None
    """medium or high: a language model searches on for what one search misses; the workspace's setting by default."""
    check_claims: bool | None = None
    """Whether a language model checks the claims of the answer; the workspace's setting by default."""
    items: Annotated[int, Field(ge=0, le=limits.ITEMS)] = 10
    """Maximum number of retrieved items to return beside the answer, best first."""


class QueryResult(ToolResult):
    """An answer and the knowledge it is based on."""

    question: str
    answer: str | None
    """The answer, with markers such as [1]; null if no answer was requested."""
    answered: bool
    """False if the documents support no answer, or none was requested."""
    confidence: float | None
    """Probability in (0, 1) that the documents answer the question; null if a language model answered."""
    note: str
    """How the answer was made: from quoted sentences, or by which language model."""
    citations: list[CitationResult]
    """The sentences that the claims of the answer cite, in its order."""
    knowledge: list[RetrievedResult]
    """Retrieved items, best first."""
    more_items: int
    """Number of retrieved items that are not returned here."""
    method: str
    tokens: int
    """Tokens used by language models."""
    money: float
    """Cost of these tokens by the prices in the settings."""


async def run(access: WorkspaceAccess, asked: QueryArguments) -> QueryResult:
    workspace = access.workspace
    only = await asked.only(access)
    names = await read(workspace, access.names)
    if not asked.answer:
        retrieved = await workspace.aretrieve(asked.question, asked.method, asked.context_tokens, only)
        return _result(names.applied(retrieved), None, asked.items)
    if asked.check_claims and not workspace.settings.model.of_role("answers").name:
        raise NO_MODEL
    how = workspace.settings.answer.overridden(effort=asked.effort, check_claims=asked.check_claims)
    answer = await workspace.aquery(asked.question, asked.method, asked.context_tokens, answer=how, only=only)
    answer = names.applied(answer)
    return _result(answer.knowledge, answer, asked.items)


def _result(knowledge: Knowledge, answer: Answer | None, items: int) -> QueryResult:
    usage = answer.usage if answer else knowledge.usage
    return QueryResult(
        question=knowledge.question,
        answer=cut(answer.text, limits.ANSWER) if answer else None,
        answered=answer is not None and answer.answered,
        confidence=answer.confidence if answer else None,
        note=answer.note if answer else "",
        citations=results.citations(answer) if answer else [],
        knowledge=[results.retrieved_result(item) for item in knowledge.items[:items]],
        more_items=max(0, len(knowledge.items) - items) + knowledge.omitted,
        method=knowledge.method,
        tokens=usage.tokens,
        money=usage.money,
    )


TOOL = Tool(
    "query",
    "Ask a question",
    "Answer a question from the documents. Each claim has its citations: document, page, character span and the quoted"
    " sentence; supported=false where the documents do not support it."
    " With answer=false, return only the relevant facts and passages.",
    QueryArguments,
    QueryResult,
    run,
)
