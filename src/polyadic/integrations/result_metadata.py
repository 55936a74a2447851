"""Flat metadata of a retrieved item, shared by the retrievers of all frameworks."""

from polyadic.model.types import Item
from polyadic.text.headings import heading_line

Metadata = dict[str, str | int | float]


def metadata(item: Item) -> Metadata:
    """Return where an item is stated and why it was retrieved.

    ``kind``, ``id``, ``score`` and ``why`` are always present. ``source``, ``title``, ``document``, ``start`` and
    ``end`` describe the first place of the item in a document, if it has one. ``page`` is present if that document has
    pages, ``headings`` if the place has headings above it.

    >>> from polyadic.model.types import Item, ItemKind, SourceSpan, Span
    >>> place = SourceSpan("d1", "/notes/a.md", "A", "c1", Span(5, 17), "Ada Lovelace")
    >>> metadata(Item(ItemKind.FACT, "f1", "Ada Lovelace", 0.5, "similar", 3, (place,)))["start"]
    5
    """
    values: Metadata = {"kind": item.kind.value, "id": item.id, "score": item.score, "why": item.why}
    if item.places:
        place = item.places[0]
        values |= {"source": place.source, "title": place.title, "document": place.document_id}
        values |= {"start": place.span.start, "end": place.span.end}
        if place.page is not None:
            values["page"] = place.page
        if place.headings:
            values["headings"] = heading_line(place.headings)
    return values
