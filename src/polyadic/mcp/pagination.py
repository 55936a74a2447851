"""Pagination of the documents of a workspace.

A page starts after the last source of the previous page. So documents that are added or deleted between two requests
make no other document appear twice or not at all.
"""

from polyadic.storage.protocol import DocumentListing


def next_after(page: DocumentListing) -> str | None:
    """Return the cursor of the next page; None on the last page."""
    return page.documents[-1].source if page.more else None
