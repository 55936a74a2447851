"""From what a person types to a decision on who is who."""

from collections.abc import Sequence

import numpy as np

from polyadic.errors import NotFound
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Entity
from polyadic.query import lookup
from polyadic.storage.protocol import Reader


def merge(reader: Reader, names: Sequence[str], into: str = "") -> ResolutionDecision:
    """That these names mean one entity.

    Parameters
    ----------
    reader
        Where the names are known.
    names
        As ``polyadic show entity`` takes them.
    into
        What the one is called; if left out, as the one of them that is in most facts.

    Raises
    ------
    NotFound
        A name is unknown, or means several entities.
    """
    overlay = reader.overlay()
    merged = _merged(overlay, names)
    if merged and (not into or entity_key(into) == entity_key(merged.into)):
        return merged
    known = [_entity(reader, overlay, name) for name in names]
    most = max(known, key=lambda entity: (entity.facts, entity.name), default=None)
    return ResolutionDecision(DecisionKind.MERGE, _distinct(known), into.strip() or (most.name if most else ""))


def apart(reader: Reader, names: Sequence[str]) -> ResolutionDecision:
    """That two names mean two entities; raises as :func:`merge` does."""
    overlay = reader.overlay()
    return ResolutionDecision(DecisionKind.APART, _distinct([_entity(reader, overlay, name) for name in names]))


def split(reader: Reader, name: str, into: str, documents: Sequence[str]) -> ResolutionDecision:
    """That a name means another entity in these documents.

    Parameters
    ----------
    reader
        Where the documents are.
    name
        As the documents have it.
    into
        What the other is called: a new name, or that of an entity that is there.
    documents
        As ``polyadic show document`` takes them.

    Raises
    ------
    NotFound
        A document is unknown, or does not name the entity.
    """
    records = [lookup.document(reader, document) for document in documents]
    for record in records:
        said = (evidence.keys for _, chunk in reader.evidence(record.id) for evidence in chunk)
        if not any(entity_key(name) in keys for keys in said):
            raise NotFound(f"no fact of {record.source} names {name}", "polyadic show document shows what it says")
    return ResolutionDecision(
        DecisionKind.SPLIT, (name.strip(),), into.strip(), tuple(sorted(record.id for record in records))
    )


def _merged(overlay: EntityResolution, names: Sequence[str]) -> ResolutionDecision | None:
    """The decision that made one of all these names."""
    keys = {entity_key(name) for name in names}
    merges = (one for one in overlay.decisions if one.kind is DecisionKind.MERGE)
    return next((one for one in merges if len(keys) > 1 and keys <= one.touched), None)


def _entity(reader: Reader, overlay: EntityResolution, name: str) -> Entity:
    try:
        return reader.entities(np.array([lookup.entity_row(reader, name)]))[0]
    except NotFound:
        if overlay.name(overlay.key(entity_key(name), "")) is None:
            raise
        # Decided about before, though no document names it now.
        return Entity("", entity_key(name), name, "", "", 0.0, 0)


def _distinct(known: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(sorted({entity.key: entity.name for entity in known}.values(), key=entity_key))
