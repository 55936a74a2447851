"""From values of the knowledge hypergraph to results of tools, none longer than it may be."""

from collections.abc import Iterable

from polyadic import knowledge
from polyadic.knowledge import Item, Place
from polyadic.mcp import bounds, results
from polyadic.mcp.bounds import cut
from polyadic.mcp.naming import uri_of
from polyadic.store.protocol import DocumentRecord


def quotation(place: Place) -> results.Quotation:
    return results.Quotation(
        document=place.document_id,
        uri=uri_of(place.document_id),
        source=place.source,
        title=cut(place.title, bounds.NAME),
        headings=[cut(heading, bounds.NAME) for heading in place.headings],
        page=place.page,
        start=place.span.start,
        end=place.span.end,
        quote=cut(place.quote, bounds.QUOTE),
    )


def citation(cited: knowledge.Citation) -> results.Citation:
    return results.Citation(marker=cited.marker, **quotation(cited.place).model_dump())


def found(item: Item) -> results.Found:
    return results.Found(
        kind=item.kind,
        id=item.id,
        text=cut(item.text, bounds.STATEMENT),
        score=item.score,
        why=cut(item.why, bounds.NAME),
        entities=names(item.entities),
        places=places(item.places),
    )


def fact(of: knowledge.Fact, stated: Iterable[Place]) -> results.Fact:
    return results.Fact(
        id=of.id,
        text=cut(of.text, bounds.STATEMENT),
        score=of.score,
        entities=names(of.entities),
        support=of.support,
        places=places(stated),
    )


def document(record: DocumentRecord) -> results.Document:
    told = list(record.metadata.items())[: bounds.PAIRS]
    return results.Document(
        id=record.id,
        uri=uri_of(record.id),
        source=record.source,
        title=cut(record.title, bounds.NAME),
        characters=record.characters,
        chunks=record.chunks,
        facts=record.facts,
        unread_chunks=record.failed,
        metadata={cut(key, bounds.NAME): cut(value, bounds.VALUE) for key, value in told},
    )


def names(all_of_them: Iterable[str]) -> list[str]:
    return [cut(name, bounds.NAME) for name in list(all_of_them)[: bounds.NAMES]]


def places(all_of_them: Iterable[Place]) -> list[results.Quotation]:
    return [quotation(place) for place in list(all_of_them)[: bounds.PLACES]]
