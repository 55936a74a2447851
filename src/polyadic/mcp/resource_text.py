"""Read parts of documents, for the span tool and for resources."""

from pydantic import BaseModel, ConfigDict

from polyadic.errors import NotFound
from polyadic.mcp.document_references import document_named, uri_of
from polyadic.model.types import Span, page_of
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Reader


class DocumentExcerpt(BaseModel):
    """A part of a document."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    document: str
    """Identifier of the document."""
    uri: str
    """Resource URI of the document."""
    source: str
    title: str
    page: int | None
    """Page on which the part begins, from 1; null if the document has no pages."""
    start: int
    """First character of the part, from 0."""
    end: int
    """Character after the last one; less than requested if the document ends earlier."""
    characters: int
    """Length of the document in characters."""
    text: str
    """The exact text of the part."""


def passage(reader: Reader, names: SourceNames, reference: str, span: Span) -> DocumentExcerpt:
    """Return the part of a document that a span covers, cut off at the end of the document.

    Raises
    ------
    NotFound
        No document matches the reference, or the document ends before the span begins.
    """
    record = document_named(reader, names, reference)
    document = reader.records.document(record.id)
    length = len(document.text)
    if span.start > length:
        raise NotFound(f"the document has {length:,} characters, so none from {span.start:,} on", "use a smaller start")
    end = min(span.end, length)
    return DocumentExcerpt(
        document=record.id,
        uri=uri_of(record.id),
        source=names.shown(record.source),
        title=record.title,
        page=page_of(document.pages, span.start),
        start=span.start,
        end=end,
        characters=length,
        text=document.text[span.start : end],
    )
