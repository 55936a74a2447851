"""Pagination of the documents of a workspace.

A page starts after the last source of the previous page. So no document is repeated or skipped because others were
added or deleted between two requests.
"""

from dataclasses import replace

from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import DocumentListing, Reader


def listed(reader: Reader, names: SourceNames, after: str | None, limit: int) -> tuple[DocumentListing, str | None]:
    """Return a page of documents with their names, and the cursor of the next page; None on the last page.

    Raises
    ------
    NotFound
        The cursor is invalid.
    """
    page = reader.records.listed(None if after is None else names.position(reader, after), limit)
    following = names.cursor(page.documents[-1].source) if page.more else None
    return replace(page, documents=names.applied(page.documents)), following
