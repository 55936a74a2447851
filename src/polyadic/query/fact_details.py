"""What the evidence of facts says besides their text: roles and values of entities, validity and qualifiers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from polyadic.model.types import FactDetails, Item, ItemKind, SourceSpan
from polyadic.storage.protocol import Reader


def fact_details(reader: Reader, places: Mapping[str, Sequence[SourceSpan]]) -> dict[str, tuple[FactDetails, ...]]:
    """Return the distinct details of facts.

    Parameters
    ----------
    reader
        A reader of the store.
    places
        Source spans by identifier of the fact; only evidence in their chunks is considered.

    Returns
    -------
    dict of str to tuple of FactDetails
        Details by identifier of the fact; facts without any are absent.
    """
    chunks = {place.chunk_id for spans in places.values() for place in spans}
    found: dict[str, list[FactDetails]] = {}
    for _, evidence in sorted(reader.records.detailed_evidence(sorted(chunks)).items()):
        for one in evidence:
            # Most evidence has no details, and making the identifier of a fact takes much longer.
            details = FactDetails.of(one)
            if details is not None and (fact := one.fact_id or "") in places:
                known = found.setdefault(fact, [])
                known += [] if details in known else [details]
    return {fact: tuple(details) for fact, details in found.items()}


def items_with_details(items: Sequence[Item], reader: Reader) -> tuple[Item, ...]:
    """Return items with the details of the facts among them."""
    details = fact_details(reader, {item.id: item.places for item in items if item.kind is ItemKind.FACT})
    return tuple(replace(item, details=details[item.id]) if item.id in details else item for item in items)
