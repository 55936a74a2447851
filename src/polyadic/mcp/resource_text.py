"""Reading parts of documents, as the tool for spans and resources do."""

from pydantic import BaseModel, ConfigDict

from polyadic.errors import NotFound
from polyadic.mcp.document_references import document_named, uri_of
from polyadic.model.types import Span, page_of
from polyadic.storage.protocol import Reader


class DocumentExcerpt(BaseModel):
    """A part of a document."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    document: str
    """Identifier of the document."""
    uri: str
    """Resource of the document."""
    source: str
    title: str
    page: int | None
    """Page on which the part begins, from 1; null where the document has no pages."""
    start: int
    """First character of the part, from 0."""
    end: int
    """Character after its last one; the document's end, where that came before what was asked for."""
    characters: int
    """How many characters the document has."""
    text: str
    """The words of the part, exactly."""


def passage(reader: Reader, reference: str, span: Span) -> DocumentExcerpt:
    """The part of a document that a span covers, as far as the document goes.

    Raises
    ------
    NotFound
        No document matches the reference, or it ends before the span begins.
    """
    record = document_named(reader, reference)
    document = reader.document(record.id)
    length = len(document.text)
    if span.start > length:
        raise NotFound(f"the document has {length:,} characters, so none from {span.start:,} on", "read from 0 on")
    end = min(span.end, length)
    return DocumentExcerpt(
        document=record.id,
        uri=uri_of(record.id),
        source=record.source,
        title=record.title,
        page=page_of(document.pages, span.start),
        start=span.start,
        end=end,
        characters=length,
        text=document.text[span.start : end],
    )
