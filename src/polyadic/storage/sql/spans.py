"""Source spans of facts and chunks, read from the tables."""

from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from polyadic.model.types import SourceSpan, Span, page_of
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.sql.encoding import HEADINGS, METADATA, PAGES
from polyadic.storage.sql.revisions import PLACED, Stretch, quotes
from polyadic.text.headings import headings_above

PLACES_SHOWN = 8
_DATE = "date"  # key in the metadata of a document
STANDS = "r.id, d.digest, d.source, r.title, r.pages, r.extractor, r.metadata, c.id, c.digest, c.headings"
FROM_THE_FIRST = "d.source, s.start, c.id, s.stop"
_CHUNKS = f"SELECT {STANDS}, c.start, c.stop FROM {PLACED} WHERE c.id {{any_of}}"
# CROSS JOIN fixes the join order: from the few statements to their chunks.
_FACTS = (
    f"SELECT s.fact, {STANDS}, s.start, s.stop FROM statement s CROSS JOIN {PLACED}"
    f" WHERE c.id = s.chunk AND s.fact {{any_of}} ORDER BY s.fact, {FROM_THE_FIRST}"
)


class SpanRow(NamedTuple):
    """The columns STANDS of a chunk, with the start and end characters of the span; digests are hexadecimal."""

    revision: int
    document: str
    source: str
    title: str
    pages: str
    extractor: str
    metadata: str
    chunk: int
    chunk_id: str
    headings: str
    start: int
    stop: int

    @property
    def stretch(self) -> Stretch:
        return self.revision, self.start, self.stop


def places_of_facts(
    connection: Connection, facts: Sequence[int], within: Container[int] | None = None
) -> dict[int, tuple[SourceSpan, ...]]:
    """Return the source spans of facts, the first PLACES_SHOWN of each in document order.

    Parameters
    ----------
    facts
        Table keys of facts.
    within
        Table keys of the chunks to consider; all if None.
    """
    rows_of: dict[int, list[SpanRow]] = {}
    for fact, *columns in select_in(connection, _FACTS, facts):
        rows = rows_of.setdefault(fact, [])
        if len(rows) < PLACES_SHOWN:
            row = _span_row(columns)
            if within is None or row.chunk in within:
                rows.append(row)
    spans = iter(_with_quotes(connection, [row for rows in rows_of.values() for row in rows]))
    return {fact: tuple(islice(spans, len(rows))) for fact, rows in rows_of.items()}


def places_of_chunks(connection: Connection, chunks: Sequence[int]) -> dict[int, SourceSpan]:
    """Return the source spans of whole chunks, by table key."""
    rows = [_span_row(row) for row in select_in(connection, _CHUNKS, chunks)]
    return {row.chunk: span for row, span in zip(rows, _with_quotes(connection, rows), strict=True)}


def placed(rows: Sequence[SpanRow], quotes: Sequence[str]) -> list[SourceSpan]:
    """Make source spans of rows and their quotes."""
    return [
        SourceSpan(
            row.document,
            row.source,
            row.title,
            row.chunk_id,
            Span(row.start, row.stop),
            quote,
            page_of(_pages_of(row.pages), row.start),
            row.extractor,
            headings_above(_headings_in(row.headings), row.start, row.title),
            _date_of(row.metadata),
        )
        for row, quote in zip(rows, quotes, strict=True)
    ]


# Cached, as many spans share a document, several a chunk, and most documents have neither pages nor metadata.
_pages_of = lru_cache(maxsize=256)(PAGES.load)
_headings_in = lru_cache(maxsize=256)(HEADINGS.load)


@lru_cache(maxsize=256)
def _date_of(metadata: str) -> str:
    date: str = METADATA.load(metadata).get(_DATE, "")
    return date


def _with_quotes(connection: Connection, rows: Sequence[SpanRow]) -> list[SourceSpan]:
    return placed(rows, quotes(connection, [row.stretch for row in rows]))


def _span_row(columns: Sequence[Any]) -> SpanRow:
    """Make a SpanRow of the columns STANDS, start and stop."""
    revision, document, source, title, pages, extractor, metadata, chunk, digest, *rest = columns
    return SpanRow(revision, document.hex(), source, title, pages, extractor, metadata, chunk, digest.hex(), *rest)
