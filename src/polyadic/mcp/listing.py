"""Paging through the documents of a workspace.

A page begins after the source with which the last one ended, so that documents which come or go meanwhile make no
other document appear twice or never.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from polyadic.store.protocol import DocumentRecord


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents, and what to ask for the next page with; None on the last one."""

    documents: Sequence[DocumentRecord]
    next: str | None


def page_after(records: Sequence[DocumentRecord], source: str | None, limit: int) -> Page:
    """At most ``limit`` documents of a list by source, after that source; from the beginning where it is None."""
    begin = 0 if source is None else bisect_right(records, source, key=lambda record: record.source)
    documents = records[begin : begin + limit]
    return Page(documents, documents[-1].source if begin + limit < len(records) else None)
