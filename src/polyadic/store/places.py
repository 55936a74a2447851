"""Where something stands in documents, as the tables of the SQLite store have it."""

from polyadic.knowledge import Place, Span, page_of
from polyadic.store.records import load_pages

PLACES_SHOWN = 8
PLACED = "chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
FACT_PLACES = (
    "SELECT d.digest, d.source, r.title, r.pages, r.extractor, c.digest, s.start, s.stop,"
    f" substr(r.text, s.start + 1, s.stop - s.start) FROM {PLACED} JOIN statement s ON s.chunk = c.id WHERE s.fact = ?"
)


def place(
    document: bytes,
    source: str,
    title: str,
    pages: str,
    extractor: str,
    chunk: bytes,
    start: int,
    stop: int,
    quote: str,
) -> Place:
    """A row of what FACT_PLACES asks for, or of the like about chunks."""
    page = page_of(load_pages(pages), start)
    return Place(document.hex(), source, title, chunk.hex(), Span(start, stop), quote, page, extractor)
