"""Conversion of core values to tool results, with every text cut to its limit."""

from collections.abc import Iterable

from polyadic.mcp import limits, results
from polyadic.mcp.document_references import uri_of
from polyadic.mcp.limits import cut
from polyadic.model import types
from polyadic.model.types import FactDetails, Item, SourceSpan
from polyadic.storage.protocol import DocumentRecord


def quotation(place: SourceSpan) -> results.QuotationResult:
    return results.QuotationResult(
        document=place.document_id,
        uri=uri_of(place.document_id),
        source=place.source,
        title=cut(place.title, limits.NAME),
        headings=[cut(heading, limits.NAME) for heading in place.headings],
        page=place.page,
        start=place.span.start,
        end=place.span.end,
        quote=cut(place.quote, limits.QUOTE),
        date=cut(place.date, limits.NAME),
    )


def citations(answer: types.Answer) -> list[results.CitationResult]:
    """Return what each claim of an answer cites, in the order of the text."""
    return [
        results.CitationResult(
            marker=answer.citations[number].marker,
            claim=cut(answer.text[claim.span.start : claim.span.end], limits.ITEM_TEXT),
            supported=claim.supported,
            **_cited(answer.citations[number]).model_dump(),
        )
        for claim in answer.claims
        for number in claim.citations
    ][: limits.CITATIONS]


def _cited(citation: types.Citation) -> results.QuotationResult:
    result = quotation(citation.place)
    return result.model_copy(update={"quote": ""}) if citation.whole_item else result


def retrieved_result(item: Item) -> results.RetrievedResult:
    return results.RetrievedResult(
        kind=item.kind,
        id=item.id,
        text=cut(item.text, limits.ITEM_TEXT),
        score=item.score,
        why=cut(item.why, limits.NAME),
        entities=names(item.entities),
        details=_details(item.details),
        places=places(item.places),
    )


def fact(of: types.Fact, stated: Iterable[SourceSpan], details: Iterable[FactDetails]) -> results.FactResult:
    return results.FactResult(
        id=of.id,
        text=cut(of.text, limits.ITEM_TEXT),
        score=of.score,
        entities=names(of.entities),
        support=of.support,
        details=_details(details),
        places=places(stated),
    )


def document(record: DocumentRecord) -> results.DocumentResult:
    metadata = list(record.metadata.items())[: limits.PAIRS]
    return results.DocumentResult(
        id=record.id,
        uri=uri_of(record.id),
        source=record.source,
        title=cut(record.title, limits.NAME),
        characters=record.characters,
        chunks=record.chunks,
        facts=record.facts,
        failed_chunks=record.failed,
        metadata={cut(key, limits.NAME): cut(value, limits.VALUE) for key, value in metadata},
    )


def _details(all_of_them: Iterable[FactDetails]) -> list[str]:
    return [cut(str(details), limits.ITEM_TEXT) for details in list(all_of_them)[: limits.PLACES]]


def names(all_of_them: Iterable[str]) -> list[str]:
    return [cut(name, limits.NAME) for name in list(all_of_them)[: limits.NAMES]]


def places(all_of_them: Iterable[SourceSpan]) -> list[results.QuotationResult]:
    return [quotation(place) for place in list(all_of_them)[: limits.PLACES]]
