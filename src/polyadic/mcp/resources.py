"""Documents as MCP resources: listed in pages, read as text, long ones in parts; also read by tools."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import mcp_types as types
from pydantic import BaseModel, ConfigDict

from polyadic.errors import NotFound
from polyadic.mcp.document_references import URI, document_named, uri_of
from polyadic.mcp.limits import NAME, RESOURCE, RESOURCES, cut
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.model.types import Span, page_of
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import DocumentListing, DocumentRecord, Reader

TEXT = "text/plain"
TEMPLATE = types.ResourceTemplate(
    uri_template=f"{URI}{{id}}{{?start,end}}",
    name="document",
    title="A document, or a part of it",
    description=f"Text of a document from start to end, in characters; at most {RESOURCE:,} per request.",
    mime_type=TEXT,
)
_DOCUMENT_PATH = re.compile(r"/([0-9a-f]{32})")
_OFFSET = re.compile(r"[0-9]{1,15}")


def listed_documents(
    reader: Reader, names: SourceNames, after: str | None, limit: int
) -> tuple[DocumentListing, str | None]:
    """Return a page of documents with their names, and the cursor of the next page; None on the last page.

    A page starts after the last source of the previous page. So no document is repeated or skipped because others were
    added or deleted between two requests.

    Raises
    ------
    NotFound
        The cursor is invalid.
    """
    page = reader.records.listed(None if after is None else names.position(reader, after), limit)
    following = names.cursor(page.documents[-1].source) if page.more else None
    return replace(page, documents=names.applied(page.documents)), following


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


async def listed(access: WorkspaceAccess, cursor: str | None) -> types.ListResourcesResult:
    """Return one page of the documents."""
    page, following = await read(
        access.workspace, lambda reader: listed_documents(reader, access.names(reader), cursor, RESOURCES)
    )
    return types.ListResourcesResult(resources=[_resource(one) for one in page.documents], next_cursor=following)


async def contents(access: WorkspaceAccess, uri: str) -> types.ReadResourceResult:
    """Return the text of a resource; for a long document the first part, with the resource of the next part.

    Raises
    ------
    NotFound
        There is no such document, or no such part of it.
    """
    document, span = _parsed(uri)
    part = await read(access.workspace, lambda reader: passage(reader, access.names(reader), document, span))
    return types.ReadResourceResult(contents=[_contents(uri, part)])


def _resource(record: DocumentRecord) -> types.Resource:
    return types.Resource(
        uri=uri_of(record.id),
        name=record.source,
        title=cut(record.title, NAME) or None,
        description=f"{record.characters:,} characters",
        mime_type=TEXT,
    )


def _parsed(uri: str) -> tuple[str, Span]:
    """Split a resource URI into document identifier and span."""
    try:
        parts = urlsplit(uri)
        path = _DOCUMENT_PATH.fullmatch(parts.path) if uri.startswith(URI) and not parts.fragment else None
        query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query), max_num_fields=2)
        start, end = (_offset(query.pop(name, [])) for name in ("start", "end"))
        span = Span(start or 0, (start or 0) + RESOURCE if end is None else min(end, (start or 0) + RESOURCE))
    except ValueError:
        path, query = None, {}
    if path is None or query:
        raise NotFound("there is no such resource", f"resources are {URI}ID, with ?start=0&end=1000 for a part")
    return path[1], span


def _offset(values: list[str]) -> int | None:
    if not values:
        return None
    if len(values) > 1 or not _OFFSET.fullmatch(values[0]):
        raise ValueError("not a character offset")
    return int(values[0])


def _contents(uri: str, part: DocumentExcerpt) -> types.TextResourceContents:
    meta: dict[str, object] = {
        "polyadic/start": part.start,
        "polyadic/end": part.end,
        "polyadic/characters": part.characters,
    }
    if part.end < part.characters:
        meta["polyadic/next"] = f"{part.uri}?start={part.end}"
    return types.TextResourceContents(uri=uri, mime_type=TEXT, text=part.text, _meta=meta)
