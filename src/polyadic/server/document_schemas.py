"""Request and response schemas of documents."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, field_validator

from polyadic.model.types import Document
from polyadic.server.schemas import ApiRequest, Identifier, Short, example
from polyadic.storage.protocol import DocumentRecord

_EXECUTED = ("javascript:", "data:", "vbscript:", "file:", "blob:")
_LONGEST_TEXT = 5_000_000


class NewText(ApiRequest):
    model_config = example(
        text="Ada Lovelace wrote the first published program.",
        title="Ada Lovelace",
        source="https://example.org/ada",
        metadata={"year": "1843"},
    )

    text: Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_TEXT)]
    title: Short = ""
    source: Annotated[str, StringConstraints(max_length=1000)] = Field(
        default="", description="URI that identifies the document; derived from the text by default"
    )
    metadata: dict[Short, Short] = Field(default_factory=dict, max_length=50)

    @field_validator("source")
    @classmethod
    def _is_a_uri(cls, source: str) -> str:
        scheme, colon, rest = source.partition(":")
        is_uri = colon and rest and scheme[:1].isalpha() and all(c.isalnum() or c in "+.-" for c in scheme)
        is_printable = source.isprintable() and not any(c.isspace() for c in source) and scheme.isascii()
        if source and not (is_uri and is_printable):
            raise ValueError("a source must be a URI such as https://example.org/ada, without spaces")
        if source.lower().startswith(_EXECUTED):
            raise ValueError("a source must not have this URI scheme")
        return source


class NewTexts(ApiRequest):
    texts: list[NewText] = Field(min_length=1, max_length=100)


class DocumentUpdate(ApiRequest):
    """The new text of a document. The source stays, and so do title and metadata where they are omitted."""

    model_config = example(text="Ada Lovelace wrote the first published program in 1843.")

    text: Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_TEXT)]
    title: Short | None = None
    metadata: dict[Short, Short] | None = Field(default=None, max_length=50)


class DocumentPage(BaseModel):
    """Documents by source; pass ``next`` as ``after`` to get the next page. ``next`` is empty on the last page."""

    documents: list[DocumentRecord]
    total: int
    next: str


class SpanView(BaseModel):
    """A span of a document with the text before and after it."""

    document: Identifier
    source: str
    title: str
    start: int
    end: int
    before: str
    text: str
    after: str
    page: int | None


class RenderedDocument(BaseModel):
    """A Markdown document as elements; ``marked`` is whether ``mark`` elements contain the text of the span."""

    blocks: list[dict[str, Any]]
    marked: bool


class PageList(BaseModel):
    """The pages of a document; ``starts`` are the characters of the text at which they begin."""

    starts: list[int]
    has_images: bool


def document_with(changed: DocumentUpdate, document: Document) -> Document:
    """Apply an update to a document."""
    title = document.title if changed.title is None else changed.title
    metadata = document.metadata if changed.metadata is None else changed.metadata
    return Document(document.source, title, changed.text, metadata)
