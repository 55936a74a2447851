"""Paging through the documents of a workspace.

A page begins after the source with which the last one ended, so that documents which come or go meanwhile make no
other document appear twice or never.
"""

from polyadic.storage.protocol import DocumentListing


def next_after(page: DocumentListing) -> str | None:
    """What to ask for the next page with; None on the last one."""
    return page.documents[-1].source if page.more else None
