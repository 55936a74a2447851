"""Build resolution decisions from user input."""

from collections.abc import Iterable, Sequence

import numpy as np

from polyadic.errors import DecisionRefused, NotFound
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Entity
from polyadic.query import lookup
from polyadic.storage.protocol import Reader

_MIN_DIGITS = 4
_DIGITS = frozenset("0123456789abcdef")


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
    DecisionRefused
        The names are not those of two or more entities.
    """
    resolution = reader.records.resolution()
    merged = _merged(resolution, names)
    if merged and (not into or entity_key(into) == entity_key(merged.into)):
        return merged
    known = [_entity(reader, resolution, name) for name in names]
    if len({entity.key for entity in known}) < 2:
        raise DecisionRefused(f"{', '.join(names)}: these are not two names", "name two different entities")
    most = max(known, key=lambda entity: (entity.facts, entity.name), default=None)
    return ResolutionDecision(DecisionKind.MERGE, _distinct(known), into.strip() or (most.name if most else ""))


def rename(reader: Reader, name: str, into: str) -> tuple[ResolutionDecision, tuple[ResolutionDecision, ...]]:
    """Build the decision to give an entity another name, and the decisions to undo for it.

    A merged entity keeps its names: the new decision replaces the merge.

    Raises
    ------
    NotFound
        The name is unknown or ambiguous.
    DecisionRefused
        The new name is that of another entity, or the entity has it already.
    """
    resolution, new = reader.records.resolution(), entity_key(into)
    entity = _entity(reader, resolution, name)
    former = tuple(one for one in resolution.decisions if one.kind is DecisionKind.MERGE and entity.key in one.touched)
    own = frozenset({entity.key}).union(*(one.touched for one in former))
    if new not in own and (resolution.name(new) is not None or lookup.row_of_key(reader, new) is not None):
        raise DecisionRefused(f"{into} is the name of another entity", "merge both, or choose another name")
    if into.strip() == entity.name:
        raise DecisionRefused(f"the entity is called {entity.name} already", "choose another name")
    names = [name for one in former for name in (*one.names, one.into) if name in one.names or entity_key(name) != new]
    distinct = {entity_key(one): one for one in names or [entity.name]}
    return ResolutionDecision(
        DecisionKind.MERGE, tuple(distinct[key] for key in sorted(distinct)), into.strip()
    ), former


def cannot_link(reader: Reader, names: Sequence[str]) -> ResolutionDecision:
    """Build the cannot-link decision of two entities; raises as :func:`merge`."""
    resolution = reader.records.resolution()
    return ResolutionDecision(
        DecisionKind.CANNOT_LINK, _distinct([_entity(reader, resolution, name) for name in names])
    )


def keep(reader: Reader, name: str) -> ResolutionDecision:
    """Build the decision that a name refers to one entity; raises as :func:`merge`."""
    return ResolutionDecision(DecisionKind.KEEP, (_entity(reader, reader.records.resolution(), name).name,))


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


def _merged(resolution: EntityResolution, names: Sequence[str]) -> ResolutionDecision | None:
    """Find the merge decision that contains all these names."""
    keys = {entity_key(name) for name in names}
    merges = (one for one in resolution.decisions if one.kind is DecisionKind.MERGE)
    return next((one for one in merges if len(keys) > 1 and keys <= one.touched), None)


def _entity(reader: Reader, resolution: EntityResolution, name: str) -> Entity:
    try:
        return reader.entities(np.array([lookup.entity_row(reader, name)]))[0]
    except NotFound:
        if resolution.name(resolution.key(entity_key(name), "")) is None:
            raise
        # Named by a decision, though no document names it any more.
        return Entity("", entity_key(name), name, "", "", 0.0, 0)


def _distinct(known: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(sorted({entity.key: entity.name for entity in known}.values(), key=entity_key))


def resolve_id_prefix(identifiers: Iterable[str], reference: str, what: str, listed: str) -> str:
    """Return the identifier with this prefix of at least 4 digits.

    Parameters
    ----------
    identifiers
        All identifiers.
    reference
        User input.
    what
        Kind of the identified objects, for messages.
    listed
        Hint on how to list them.

    Raises
    ------
    NotFound
        No identifier, or more than one, matches.

    >>> resolve_id_prefix(["0123abcd", "0124abcd"], "0124", "decision", "")
    '0124abcd'
    """
    prefix = reference.strip().lower()
    if len(prefix) < _MIN_DIGITS or not _DIGITS.issuperset(prefix):
        raise NotFound(f"{reference!r} is not an identifier of a {what} ({_MIN_DIGITS} digits or more)", listed)
    found = [one for one in identifiers if one.startswith(prefix)]
    if not found:
        raise NotFound(f"no {what} matches {reference!r}", listed)
    if len(found) > 1:
        raise NotFound(f"{reference!r} begins {len(found)} identifiers of a {what}", "give more digits (see --json)")
    return found[0]
