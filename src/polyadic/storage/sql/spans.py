"""Where something stands in documents, as the tables have it."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from polyadic.model.types import SourceSpan, Span, page_of
from polyadic.storage.connection import Connection
from polyadic.storage.sql.serialization import load_headings, load_pages
from polyadic.storage.sql.sql_in import select_in
from polyadic.storage.sql.texts import Stretch, quotes
from polyadic.text.headings import headings_above

PLACES_SHOWN = 8
STANDS = "r.id, d.digest, d.source, r.title, r.pages, r.extractor, c.id, c.digest, c.headings"
FROM_THE_FIRST = "d.source, s.start, c.id, s.stop"
PLACED = "chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
_CHUNKS = f"SELECT {STANDS}, c.start, c.stop FROM {PLACED} WHERE c.id IN ({{}})"
# A cross join keeps its order: from the few statements to what they stand in.
_FACTS = (
    f"SELECT s.fact, {STANDS}, s.start, s.stop FROM statement s CROSS JOIN {PLACED}"
    f" WHERE c.id = s.chunk AND s.fact IN ({{}}) ORDER BY s.fact, {FROM_THE_FIRST}"
)


@dataclass(frozen=True, slots=True)
class SpanRow:
    """STANDS of a chunk, with the characters of its document that are meant; digests are written in hexadecimal."""

    revision: int
    document: str
    source: str
    title: str
    pages: str
    extractor: str
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
    """Where each fact is stated, the first places in document order; ``facts`` are keys of the table.

    ``within`` are the chunks (keys) that may be heard; all if left out.
    """
    shown: dict[int, list[SpanRow]] = {}
    for fact, *stands in select_in(connection, _FACTS, facts):
        rows, one = shown.setdefault(fact, []), _standing(stands)
        if len(rows) < PLACES_SHOWN and (within is None or one.chunk in within):
            rows.append(one)
    places = iter(_places(connection, [row for rows in shown.values() for row in rows]))
    return {fact: tuple(next(places) for _ in rows) for fact, rows in shown.items()}


def places_of_chunks(connection: Connection, chunks: Sequence[int]) -> dict[int, SourceSpan]:
    """Where each chunk stands, which is all of it; ``chunks`` are keys of the table."""
    rows = [_standing(row) for row in select_in(connection, _CHUNKS, chunks)]
    return {row.chunk: place for row, place in zip(rows, _places(connection, rows), strict=True)}


def placed(rows: Sequence[SpanRow], said: Sequence[str]) -> list[SourceSpan]:
    """The places where these stand, given what is said there."""
    # Many stand in one document, and several in one chunk.
    pages_of, headings_in = cache(load_pages), cache(load_headings)
    return [
        SourceSpan(
            row.document,
            row.source,
            row.title,
            row.chunk_id,
            Span(row.start, row.stop),
            quote,
            page_of(pages_of(row.pages), row.start),
            row.extractor,
            headings_above(headings_in(row.headings), row.start, row.title),
        )
        for row, quote in zip(rows, said, strict=True)
    ]


def _places(connection: Connection, rows: Sequence[SpanRow]) -> list[SourceSpan]:
    return placed(rows, quotes(connection, [row.stretch for row in rows]))


def _standing(row: Sequence[Any]) -> SpanRow:
    """From a row of STANDS and the characters where it stands."""
    revision, document, source, title, pages, extractor, chunk, digest, headings, start, stop = row
    return SpanRow(
        revision, document.hex(), source, title, pages, extractor, chunk, digest.hex(), headings, start, stop
    )
