"""What tools return: values with a schema, so that a client knows their shape before it calls."""

from pydantic import BaseModel, ConfigDict

from polyadic.model.types import ItemKind


class ToolResult(BaseModel):
    """What all results have in common."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class QuotationResult(ToolResult):
    """Where something stands in a document, with the words that stand there."""

    document: str
    """Identifier of the document."""
    uri: str
    """Resource of the document."""
    source: str
    """Where the document came from: a path or a URI."""
    title: str
    headings: list[str]
    """Headings of the sections that it stands in, the outermost first."""
    page: int | None
    """Page on which it begins, from 1; null where the document has no pages."""
    start: int
    """First character, from 0."""
    end: int
    """Character after the last one."""
    quote: str
    """The words that stand there; of long ones the beginning, with an ellipsis."""


class CitationResult(QuotationResult):
    """A marker in an answer, and what it points at."""

    marker: int
    """The number that stands in the answer in brackets."""


class RetrievedResult(ToolResult):
    """A fact, a passage or something else that was retrieved."""

    kind: ItemKind
    id: str
    text: str
    score: float
    """Compares what is of one kind within one result only."""
    why: str
    """Why it was found."""
    entities: list[str]
    """Names that a fact connects."""
    places: list[QuotationResult]
    """Where it stands: the first few places."""


class FactResult(ToolResult):
    """A statement and all that it connects."""

    id: str
    text: str
    score: float
    """How complete the statement is on its own, above 0 and up to 10."""
    entities: list[str]
    support: int
    """How often documents state it."""
    places: list[QuotationResult]
    """Where it is stated: the first few places."""


class DocumentResult(ToolResult):
    """A document without its text."""

    id: str
    uri: str
    source: str
    title: str
    characters: int
    chunks: int
    facts: int
    unread_chunks: int
    """Chunks of which no facts could be read."""
    metadata: dict[str, str]
