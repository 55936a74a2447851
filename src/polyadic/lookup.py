"""From what a person types to documents, chunks, facts and entities, with their surroundings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from polyadic.errors import NotFound
from polyadic.identity import entity_key, loose_name
from polyadic.knowledge import Chunk, Document, Entity, Fact, Place, Span
from polyadic.store.protocol import DocumentRecord, Reader, Rows, Side

_IDENTIFIER = re.compile(r"[0-9a-f]{4,32}")
_PLACE = re.compile(r"(?P<document>.+):(?P<start>\d+)[-–](?P<end>\d+)")
_SURROUNDINGS = 200
_FACTS_SHOWN = 20

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document, and the place in it that was asked for (``span``) with what surrounds it."""

    document: Document
    record: DocumentRecord
    span: Span
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChunkView:
    chunk: Chunk
    place: Place
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class FactView:
    fact: Fact
    entities: tuple[Entity, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class EntityView:
    entity: Entity
    facts: tuple[Fact, ...]


def document(reader: Reader, reference: str) -> DocumentRecord:
    """The document with this source, this end of a source, this title or this beginning of an identifier.

    Raises
    ------
    NotFound
        There is none, or more than one.
    """
    records = reader.documents()
    absolute = str(Path(reference).expanduser().absolute())
    tail = "/" + reference.removeprefix("./")
    for matches in (
        [r for r in records if r.source in (reference, absolute)],
        [r for r in records if r.source.endswith((tail, "#" + reference))],
        [r for r in records if r.title.casefold() == reference.casefold()],
        [r for r in records if _IDENTIFIER.fullmatch(reference) and r.id.startswith(reference)],
    ):
        if matches:
            return _only(matches, f"document {reference!r}", [r.source for r in matches])
    raise NotFound(f"no document answers to {reference!r}", "polyadic status --documents lists them")


def row(reader: Reader, side: Side, reference: str) -> int:
    """The row of a chunk, fact or entity by the beginning of its identifier (4 digits or more)."""
    rows = reader.identified(side, reference, 2) if _IDENTIFIER.fullmatch(reference) else np.zeros(0, dtype=np.int64)
    if not len(rows):
        raise NotFound(f"no {side} answers to {reference!r}", "identifiers are shown by polyadic query --trace")
    return int(_only(rows.tolist(), f"{side} {reference!r}", ["more than one identifier begins like this"]))


def entity_row(reader: Reader, reference: str) -> int:
    """The row of an entity by name, else by the loose form of a name, else by identifier."""
    exact = reader.keyed([entity_key(reference)])
    if exact:
        return next(iter(exact.values()))
    loose = reader.named([loose_name(reference)])
    if loose:
        rows = next(iter(loose.values()))
        return int(_only(rows, f"entity {reference!r}", [e.name for e in reader.entities(np.array(rows))]))
    return row(reader, "entity", reference)


def facts_of_all(reader: Reader, entities: Sequence[int], limit: int) -> Rows:
    """Facts that contain all of these entities, best score first."""
    rows = reader.containing(np.array(entities, dtype=np.int64), limit)
    scores = np.array([fact.score for fact in reader.facts(rows)])
    return rows[np.argsort(-scores, kind="stable")]


def document_view(reader: Reader, reference: str) -> DocumentView:
    found = _PLACE.fullmatch(reference)
    record = document(reader, found["document"] if found else reference)
    whole = reader.document(record.id)
    span = Span(0, len(whole.text))
    if found:
        start, end = int(found["start"]), int(found["end"])
        if not start <= end <= len(whole.text):
            raise NotFound(f"{record.source} has {len(whole.text):,} characters, so no place {start}-{end}")
        span = Span(start, end)
    return DocumentView(
        whole,
        record,
        span,
        whole.text[max(0, span.start - _SURROUNDINGS) : span.start],
        whole.text[span.end : span.end + _SURROUNDINGS],
    )


def chunk_view(reader: Reader, reference: str) -> ChunkView:
    rows = np.array([row(reader, "chunk", reference)])
    facts = reader.facts(reader.facts_in(rows).targets)
    return ChunkView(reader.chunks(rows)[0], reader.chunk_places(rows)[0], tuple(facts))


def fact_view(reader: Reader, reference: str) -> FactView:
    rows = np.array([row(reader, "fact", reference)])
    entities = reader.entities(reader.entities_of(rows).targets)
    return FactView(reader.facts(rows)[0], tuple(entities), reader.fact_places(rows)[0])


def entity_view(reader: Reader, reference: str) -> EntityView:
    entity = entity_row(reader, reference)
    facts = reader.facts(facts_of_all(reader, [entity], _FACTS_SHOWN))
    return EntityView(reader.entities(np.array([entity]))[0], tuple(facts))


def _only(matches: Sequence[Found], what: str, shown: Sequence[str]) -> Found:
    if len(matches) > 1:
        raise NotFound(f"{what} is ambiguous ({', '.join(shown[:3])}, ...)", "say more of it")
    return matches[0]
