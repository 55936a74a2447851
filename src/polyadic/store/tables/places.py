"""Where something stands in documents, as the tables of the SQLite store have it."""

from collections.abc import Container, Sequence
from functools import cache
from typing import Any

from polyadic.knowledge import Place, Span, page_of
from polyadic.store.connection import Connection
from polyadic.store.tables.records import load_pages
from polyadic.store.tables.selecting import select_in
from polyadic.store.tables.texts import quotes

PLACES_SHOWN = 8
_STANDS = "r.id, d.digest, d.source, r.title, r.pages, r.extractor, c.id, c.digest"
_PLACED = "chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
_CHUNKS = f"SELECT {_STANDS}, c.start, c.stop FROM {_PLACED} WHERE c.id IN ({{}})"
# A cross join keeps its order: from the few statements to what they stand in.
_FACTS = (
    f"SELECT s.fact, {_STANDS}, s.start, s.stop FROM statement s CROSS JOIN {_PLACED}"
    " WHERE c.id = s.chunk AND s.fact IN ({}) ORDER BY s.fact, d.source, s.start, c.id, s.stop"
)


def places_of_facts(
    connection: Connection, facts: Sequence[int], within: Container[int] | None = None
) -> dict[int, tuple[Place, ...]]:
    """Where each fact is stated, the first places in document order; ``facts`` are keys of the table.

    ``within`` are the chunks (keys) that may be heard; all if left out.
    """
    shown: dict[int, list[tuple[Any, ...]]] = {}
    for fact, *stands in select_in(connection, _FACTS, facts):
        rows = shown.setdefault(fact, [])
        if len(rows) < PLACES_SHOWN and (within is None or stands[6] in within):
            rows.append(tuple(stands))
    places = iter(_places(connection, [row for rows in shown.values() for row in rows]))
    return {fact: tuple(next(places) for _ in rows) for fact, rows in shown.items()}


def places_of_chunks(connection: Connection, chunks: Sequence[int]) -> dict[int, Place]:
    """Where each chunk stands, which is all of it; ``chunks`` are keys of the table."""
    rows = list(select_in(connection, _CHUNKS, chunks))
    return {row[6]: place for row, place in zip(rows, _places(connection, rows), strict=True)}


def _places(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> list[Place]:
    """From rows of _STANDS and the characters where it stands."""
    pages_of = cache(load_pages)  # many stand in one document
    said = quotes(connection, [(row[0], row[8], row[9]) for row in rows])
    return [
        Place(document.hex(), source, title, chunk.hex(), Span(start, stop), quote, page_of(pages_of(pages), start), by)
        for (_, document, source, title, pages, by, _, chunk, start, stop), quote in zip(rows, said, strict=True)
    ]
