"""Results of tools: models with a schema, so that clients know their shape, and conversion of core values to them."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from polyadic.mcp import limits
from polyadic.mcp.document_references import uri_of
from polyadic.mcp.limits import cut
from polyadic.model import types
from polyadic.model.types import FactDetails, Item, ItemKind, SourceSpan
from polyadic.storage.protocol import DocumentRecord


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


def quotation(place: SourceSpan) -> QuotationResult:
    return QuotationResult(
        document=place.document_id,
        uri=uri_of(place.document_id),
        source=place.source,
        title=cut(place.title, limits.NAME),
        headings=[cut(heading, limits.NAME) for heading in place.headings],
        page=place.page,
        start=place.span.start,
        end=place.span.end,
        quote=cut(place.quote, limits.QUOTE),
        date=cut(place.date, limits.NAME),
    )


def citations(answer: types.Answer) -> list[CitationResult]:
    """Return what each claim of an answer cites, in the order of the text."""
    return [
        CitationResult(
            marker=answer.citations[number].marker,
            claim=cut(answer.text[claim.span.start : claim.span.end], limits.ITEM_TEXT),
            supported=claim.supported,
            **_cited(answer.citations[number]).model_dump(),
        )
        for claim in answer.claims
        for number in claim.citations
    ][: limits.CITATIONS]


def _cited(citation: types.Citation) -> QuotationResult:
    result = quotation(citation.place)
    return result.model_copy(update={"quote": ""}) if citation.whole_item else result


def retrieved_result(item: Item) -> RetrievedResult:
    return RetrievedResult(
        kind=item.kind,
        id=item.id,
        text=cut(item.text, limits.ITEM_TEXT),
        score=item.score,
        why=cut(item.why, limits.NAME),
        entities=names(item.entities),
        details=_details(item.details),
        places=places(item.places),
    )


def fact(of: types.Fact, stated: Iterable[SourceSpan], details: Iterable[FactDetails]) -> FactResult:
    return FactResult(
        id=of.id,
        text=cut(of.text, limits.ITEM_TEXT),
        score=of.score,
        entities=names(of.entities),
        support=of.support,
        details=_details(details),
        places=places(stated),
    )


def document(record: DocumentRecord) -> DocumentResult:
    metadata = list(record.metadata.items())[: limits.PAIRS]
    return DocumentResult(
        id=record.id,
        uri=uri_of(record.id),
        source=record.source,
        title=cut(record.title, limits.NAME),
        characters=record.characters,
        chunks=record.chunks,
        facts=record.facts,
        failed_chunks=record.failed,
        metadata={cut(key, limits.NAME): cut(value, limits.VALUE) for key, value in metadata},
    )


def _details(all_of_them: Iterable[FactDetails]) -> list[str]:
    return [cut(str(details), limits.ITEM_TEXT) for details in list(all_of_them)[: limits.PLACES]]


def names(all_of_them: Iterable[str]) -> list[str]:
    return [cut(name, limits.NAME) for name in list(all_of_them)[: limits.NAMES]]


def places(all_of_them: Iterable[SourceSpan]) -> list[QuotationResult]:
    return [quotation(place) for place in list(all_of_them)[: limits.PLACES]]
