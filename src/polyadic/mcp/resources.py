"""Documents as MCP resources: listed in pages, read as text, long ones in parts."""

import re
from urllib.parse import parse_qs, urlsplit

import mcp_types as types

from polyadic.errors import NotFound
from polyadic.mcp import pagination
from polyadic.mcp.document_references import URI, uri_of
from polyadic.mcp.limits import NAME, RESOURCE, RESOURCES, cut
from polyadic.mcp.request_context import WorkspaceAccess, read
from polyadic.mcp.resource_text import DocumentExcerpt, passage
from polyadic.model.types import Span
from polyadic.storage.protocol import DocumentRecord

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


async def listed(access: WorkspaceAccess, cursor: str | None) -> types.ListResourcesResult:
    """Return one page of the documents."""
    page, following = await read(
        access.workspace, lambda reader: pagination.listed(reader, access.names(reader), cursor, RESOURCES)
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
