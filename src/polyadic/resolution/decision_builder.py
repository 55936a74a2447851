"""Build resolution decisions from user input."""

from collections.abc import Sequence

import numpy as np

from polyadic.errors import NotFound
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Entity
from polyadic.query import lookup
from polyadic.storage.protocol import Reader


def merge(reader: Reader, names: Sequence[str], into: str = "") -> ResolutionDecision:
    """Build the decision to merge these entities.

    Parameters
    ----------
    reader
        Reader of the store.
    names
        Entity references, as for ``polyadic show entity``.
    into
        Name of the merged entity; by default that of the entity with most facts.

    Raises
    ------
    NotFound
        A name is unknown or ambiguous.
    """
    overlay = reader.records.overlay()
    merged = _merged(overlay, names)
    if merged and (not into or entity_key(into) == entity_key(merged.into)):
        return merged
    known = [_entity(reader, overlay, name) for name in names]
    most = max(known, key=lambda entity: (entity.facts, entity.name), default=None)
    return ResolutionDecision(DecisionKind.MERGE, _distinct(known), into.strip() or (most.name if most else ""))


def cannot_link(reader: Reader, names: Sequence[str]) -> ResolutionDecision:
    """Build the cannot-link decision of two entities; raises as :func:`merge`."""
    overlay = reader.records.overlay()
    return ResolutionDecision(DecisionKind.CANNOT_LINK, _distinct([_entity(reader, overlay, name) for name in names]))


def split(reader: Reader, name: str, into: str, documents: Sequence[str]) -> ResolutionDecision:
    """Build the decision that a name refers to another entity in these documents.

    Parameters
    ----------
    reader
        Reader of the store.
    name
        Name as written in the documents.
    into
        Name of the other entity: a new one, or that of an existing entity.
    documents
        Document references, as for ``polyadic show document``.

    Raises
    ------
    NotFound
        A document is unknown, or does not name the entity.
    """
    records = [lookup.document(reader, document) for document in documents]
    for record in records:
        key_sets = (evidence.keys for _, chunk in reader.records.evidence(record.id) for evidence in chunk)
        if not any(entity_key(name) in keys for keys in key_sets):
            raise NotFound(f"no fact of {record.source} names {name}", "polyadic show document lists its facts")
    return ResolutionDecision(
        DecisionKind.SPLIT, (name.strip(),), into.strip(), tuple(sorted(record.id for record in records))
    )


def _merged(overlay: EntityResolution, names: Sequence[str]) -> ResolutionDecision | None:
    """Find the merge decision that contains all these names."""
    keys = {entity_key(name) for name in names}
    merges = (one for one in overlay.decisions if one.kind is DecisionKind.MERGE)
    return next((one for one in merges if len(keys) > 1 and keys <= one.touched), None)


def _entity(reader: Reader, overlay: EntityResolution, name: str) -> Entity:
    try:
        return reader.entities(np.array([lookup.entity_row(reader, name)]))[0]
    except NotFound:
        if overlay.name(overlay.key(entity_key(name), "")) is None:
            raise
        # Named by a decision, though no document names it any more.
        return Entity("", entity_key(name), name, "", "", 0.0, 0)


def _distinct(known: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(sorted({entity.key: entity.name for entity in known}.values(), key=entity_key))
