"""What retrievers of all frameworks return: the text of an item of knowledge, and flat metadata beside it."""

from polyadic.model.types import Item
from polyadic.text.headings import heading_line

Metadata = dict[str, str | int | float]


def metadata(item: Item) -> Metadata:
    """Where an item stands and why it was found.

    ``kind``, ``id``, ``score`` and ``why`` are always there; ``source``, ``title``, ``document``, ``start`` and ``end``
    where it stands in a document, those of the first such place; ``page`` where that document has pages, and
    ``headings`` where headings stand above.

    >>> from polyadic.model.types import ItemKind, SourceSpan, Span
    >>> place = Place("d1", "/notes/a.md", "A", "c1", Span(5, 17), "Ada Lovelace")
    >>> metadata(Item(Kind.FACT, "f1", "Ada Lovelace", 0.5, "similar", 3, (place,)))["start"]
    5
    """
    told: Metadata = {"kind": item.kind.value, "id": item.id, "score": item.score, "why": item.why}
    if item.places:
        place = item.places[0]
        told |= {"source": place.source, "title": place.title, "document": place.document_id}
        told |= {"start": place.span.start, "end": place.span.end}
        if place.page is not None:
            told["page"] = place.page
        if place.headings:
            told["headings"] = heading_line(place.headings)
    return told
