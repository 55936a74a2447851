"""Results of tools: models with a schema, so that clients know their shape before the call."""

from pydantic import BaseModel, ConfigDict

from polyadic.model.types import ItemKind


class ToolResult(BaseModel):
    """Base class of tool results."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class QuotationResult(ToolResult):
    """A place in a document, with the quoted words."""

    document: str
    """Identifier of the document."""
    uri: str
    """Resource URI of the document."""
    source: str
    """Where the document came from: a path or a URI."""
    title: str
    headings: list[str]
    """Headings of the enclosing sections, outermost first."""
    page: int | None
    """Page on which the quote begins, from 1; null if the document has no pages."""
    start: int
    """First character of the quote, from 0."""
    end: int
    """Character after the last one."""
    quote: str
    """The quoted words; long ones are cut and end with an ellipsis."""
    date: str
    """Date of the document in ISO 8601; empty if unknown."""


class CitationResult(QuotationResult):
    """A sentence that a citation marker of an answer points to; the quote is empty if it points to a whole item."""

    marker: int
    """The number in brackets in the answer."""
    claim: str
    """The part of the answer that the sentence is cited for; one marker may cite other sentences elsewhere."""
    supported: bool
    """False if no cited sentence supports the claim."""


class RetrievedResult(ToolResult):
    """A retrieved fact, passage or other item."""

    kind: ItemKind
    id: str
    text: str
    score: float
    """Comparable only with items of the same kind in the same result."""
    why: str
    """Why it was retrieved."""
    entities: list[str]
    """Names of the entities that a fact connects."""
    details: list[str]
    """What the evidence of a fact says besides its text: roles and values of entities, validity, qualifiers."""
    places: list[QuotationResult]
    """The first few places where it is stated."""


class FactResult(ToolResult):
    """A fact and the entities it connects."""

    id: str
    text: str
    score: float
    """How complete the fact is on its own, above 0 and up to 10."""
    entities: list[str]
    support: int
    """How often documents state it."""
    details: list[str]
    """What its evidence says besides its text: roles and values of entities, validity, qualifiers."""
    places: list[QuotationResult]
    """The first few places where it is stated."""


class DocumentResult(ToolResult):
    """A document without its text."""

    id: str
    uri: str
    source: str
    title: str
    characters: int
    chunks: int
    facts: int
    failed_chunks: int
    """Number of chunks from which no facts could be extracted."""
    metadata: dict[str, str]
