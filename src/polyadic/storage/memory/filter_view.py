"""A state of the store as it would be if it held nothing but some of its documents.

Rows keep their places and vectors are shared, so a scope costs little memory. What rests wholly on the documents in
scope is taken as it stands; what rests on others as well is counted afresh from the evidence in scope, and so has the
score, the names and the descriptions that these documents give it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from polyadic.model.aggregation import Attribute, EntityTally, FactTally, Tallies, mean_score, tally
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers, Mask
from polyadic.storage.memory.row_vectors import RowVectors, SegmentValues
from polyadic.storage.memory.snapshot import ArraySnapshot
from polyadic.storage.memory.state import StoreState
from polyadic.storage.memory.topic_entities import with_subjects
from polyadic.storage.protocol import Side
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.serialization import evidence_of, overlay_of
from polyadic.storage.sql.sql_in import select_in
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks


@dataclass(frozen=True, slots=True)
class FilteredView:
    """What readers may see.

    ``snapshot`` has the neighbours and numbers that hold in scope, ``state`` the vectors, of which those of entities
    may be seen that ``seen_forms`` tells by their places; ``seen`` tells which rows there are. ``formless`` are
    entities none of whose forms in scope has a vector. ``entities`` and ``facts`` have by row what was counted afresh.
    ``whole`` tells of which entities and facts nothing at all is said out of scope.
    """

    documents: frozenset[str]
    state: StoreState
    snapshot: ArraySnapshot
    seen: Mapping[Side, Mask]
    seen_forms: Mask
    formless: Integers
    entities: Mapping[int, EntityTally]
    facts: Mapping[int, FactTally]
    whole: Mapping[Literal["entity", "fact"], Mask]


@dataclass(frozen=True, slots=True)
class CorpusTotals:
    """How many facts each entity takes part in, and how many chunks state each fact, in all of a store."""

    facts: Integers
    chunks: Integers

    @classmethod
    def of(cls, whole: ArraySnapshot) -> Self:
        """Where the arrays are those of all of a store."""
        return cls(np.diff(whole.entity_fact_starts), np.diff(whole.fact_chunk_starts))


def scope_of(
    connection: Connection, state: StoreState, whole: ArraySnapshot, totals: CorpusTotals, documents: frozenset[str]
) -> FilteredView:
    """The scope of these documents (by identifier) within the state that ``whole`` and the connection show too.

    These show all of the store, or no more of it than the documents state; ``totals`` tell of all of it.
    """
    chunks = _seen_chunks(connection, whole, documents)
    stated = _among(whole.fact_chunk_starts, chunks[whole.fact_chunks])
    facts = stated > 0
    mixed_facts = facts & (stated < totals.chunks)
    partly = _among(whole.entity_fact_starts, (~facts | mixed_facts)[whole.entity_facts]) > 0
    partly |= totals.facts > np.diff(whole.entity_fact_starts)
    entities = _among(whole.entity_fact_starts, facts[whole.entity_facts]) > 0
    # What a decision names otherwise is counted as well: the name may be one that only other documents say.
    mixed_entities = entities & (partly | _decided(connection, whole))
    counted = _counted(connection, whole, chunks, mixed_entities)
    said = _entities_said(connection, whole, counted, mixed_entities)
    entities &= ~mixed_entities
    entities[list(said)] = True
    stating = _facts_stated(connection, whole, counted, mixed_facts)
    seen: dict[Side, Mask] = {"chunk": chunks, "fact": facts, "entity": entities}
    narrowed = with_subjects(_with_scores(_narrowed(connection, whole, seen, stating), said, stating))
    vectors = state.vectors("entity")
    forms = _seen_forms(connection, whole, vectors, said, mixed_entities)
    formless = np.flatnonzero(entities & ~_with_any(vectors, forms))
    whole_entities = entities & ~partly & ~_named_from_outside(connection, whole, documents, said)
    alone: dict[Literal["entity", "fact"], Mask] = {"entity": whole_entities, "fact": facts & ~mixed_facts}
    return FilteredView(documents, state, narrowed, seen, forms, formless, said, stating, alone)


def is_split_off(overlay: EntityResolution, key: str, documents: Collection[str]) -> bool:
    """Whether a decision gave an entity its name for one of these documents."""
    made = (d for d in overlay.decisions if d.kind is DecisionKind.SPLIT and entity_key(d.into) == key)
    return any(document in documents for decision in made for document in decision.documents)


def _seen_chunks(connection: Connection, whole: ArraySnapshot, documents: Collection[str]) -> Mask:
    rows = select_in(
        connection,
        "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest IN ({})",
        [digest_bytes(document) for document in sorted(documents)],
    )
    seen = np.zeros(len(whole.chunk_ids), dtype=bool)
    seen[whole.rows("chunk", [row for (row,) in rows])] = True
    return seen


def _decided(connection: Connection, whole: ArraySnapshot) -> Mask:
    """Which entities a decision has a name for."""
    decided = np.zeros(len(whole.entity_ids), dtype=bool)
    keys = sorted(overlay_of(connection).named)
    found = select_in(connection, "SELECT id FROM entity WHERE key IN ({})", keys)
    decided[whole.rows("entity", [row for (row,) in found])] = True
    return decided


def _named_from_outside(
    connection: Connection, whole: ArraySnapshot, documents: Collection[str], said: Mapping[int, EntityTally]
) -> Mask:
    """Of which of these entities a decision's name is heard of in no document in scope."""
    overlay = overlay_of(connection)
    found = select_in(connection, "SELECT id, key FROM entity WHERE key IN ({})", sorted(overlay.named))
    keys = {key: row for row, key in found}
    rows = whole.rows("entity", list(keys.values())).tolist()
    outside = np.zeros(len(whole.entity_ids), dtype=bool)
    for key, row in zip(keys, rows, strict=True):
        if row in said and (Attribute.NAME, overlay.name(key)) not in said[row].said:
            outside[row] = not is_split_off(overlay, key, documents)
    return outside


def _counted(connection: Connection, whole: ArraySnapshot, chunks: Mask, entities: Mask) -> Tallies:
    """The evidence in scope of all chunks that say something of these entities."""
    telling = np.repeat(entities, np.diff(whole.entity_fact_starts))
    facts = np.zeros(len(whole.fact_ids), dtype=bool)
    facts[whole.entity_facts[telling]] = True
    stating = whole.fact_chunks[np.repeat(facts, np.diff(whole.fact_chunk_starts))]
    keys = whole.chunk_ids[np.unique(stating[chunks[stating]])]
    return tally(evidence_of(connection, keys.tolist()), overlay_of(connection))


def _entities_said(
    connection: Connection, whole: ArraySnapshot, counted: Tallies, mixed: Mask
) -> dict[int, EntityTally]:
    """What the evidence in scope says of the entities that others speak of as well, by row."""
    keyed = list(select_in(connection, "SELECT key, id FROM entity WHERE key IN ({})", sorted(counted.entities)))
    rows = whole.rows("entity", [row for _, row in keyed]).tolist()
    return {row: counted.entities[key] for (key, _), row in zip(keyed, rows, strict=True) if mixed[row]}


def _facts_stated(connection: Connection, whole: ArraySnapshot, counted: Tallies, mixed: Mask) -> dict[int, FactTally]:
    digests = [digest_bytes(fact) for fact in sorted(counted.facts)]
    found = list(select_in(connection, "SELECT digest, id FROM fact WHERE digest IN ({})", digests))
    rows = whole.rows("fact", [row for _, row in found]).tolist()
    return {row: counted.facts[digest.hex()] for (digest, _), row in zip(found, rows, strict=True) if mixed[row]}


def _narrowed(
    connection: Connection, whole: ArraySnapshot, seen: Mapping[Side, Mask], stating: Mapping[int, FactTally]
) -> ArraySnapshot:
    """The arrays without what is out of scope."""
    facts, entities, chunks = seen["fact"], seen["entity"], seen["chunk"]
    takes_part = _takes_part(connection, whole, stating)
    fact_entities = np.repeat(facts, np.diff(whole.fact_entity_starts)) & entities[whole.fact_entities]
    entity_facts = np.repeat(entities, np.diff(whole.entity_fact_starts)) & facts[whole.entity_facts]
    for fact, others in takes_part.items():
        _drop(fact_entities, whole.fact_entity_starts, whole.fact_entities, fact, others)
        for other in others:
            _drop(entity_facts, whole.entity_fact_starts, whole.entity_facts, other, {fact})
    stated = np.repeat(chunks, np.diff(whole.chunk_fact_starts))
    fact_entity_starts, members = _kept(whole.fact_entity_starts, whole.fact_entities, fact_entities)
    entity_fact_starts, joined = _kept(whole.entity_fact_starts, whole.entity_facts, entity_facts)
    fact_chunk_starts, stating_chunks = _kept(whole.fact_chunk_starts, whole.fact_chunks, chunks[whole.fact_chunks])
    chunk_fact_starts, stated_facts = _kept(whole.chunk_fact_starts, whole.chunk_facts, stated)
    return replace(
        whole,
        title_entity=_titles(connection, whole, seen),
        fact_entity_starts=fact_entity_starts,
        fact_entities=members,
        entity_fact_starts=entity_fact_starts,
        entity_facts=joined,
        fact_chunk_starts=fact_chunk_starts,
        fact_chunks=stating_chunks,
        chunk_fact_starts=chunk_fact_starts,
        chunk_facts=stated_facts,
    )


def _takes_part(connection: Connection, whole: ArraySnapshot, stating: Mapping[int, FactTally]) -> dict[int, set[int]]:
    """For each fact in question the entities that take part in it only by evidence out of scope: split names."""
    starts = whole.fact_entity_starts
    members = {row: whole.fact_entities[starts[row] : starts[row + 1]].tolist() for row in sorted(stating)}
    fewer = {row: linked for row, linked in members.items() if len(stating[row].participants) < len(linked)}
    ids = [int(whole.entity_ids[entity]) for entity in sorted({e for linked in fewer.values() for e in linked})]
    found = list(select_in(connection, "SELECT id, key FROM entity WHERE id IN ({})", ids))
    keys = dict(zip(whole.rows("entity", [row for row, _ in found]).tolist(), (key for _, key in found), strict=True))
    return {row: {e for e in linked if keys[e] not in stating[row].participants} for row, linked in fewer.items()}


def _titles(connection: Connection, whole: ArraySnapshot, seen: Mapping[Side, Mask]) -> Integers:
    """Where the entity that bears a title is out of scope, another may bear it without its qualifier."""
    entities, chunks = seen["entity"], seen["chunk"]
    titles = np.where(chunks, whole.title_entity, -1)
    lost = np.flatnonzero((titles >= 0) & ~entities[np.maximum(titles, 0)]) if len(entities) else titles[:0]
    titles[lost] = -1

    def is_seen(entity: int) -> bool:
        return bool(entities[whole.rows("entity", [entity])[0]])

    documents = titles_of_chunks(connection, whole.chunk_ids[lost].tolist())
    found = title_entities(connection, overlay_of(connection), documents, is_seen)
    for chunk, entity in found.items():
        if entity >= 0:
            titles[whole.rows("chunk", [chunk])] = whole.rows("entity", [entity])
    return titles


def _with_scores(
    narrowed: ArraySnapshot, said: Mapping[int, EntityTally], stating: Mapping[int, FactTally]
) -> ArraySnapshot:
    scores, spread = narrowed.entity_scores.copy(), narrowed.entity_chunk_counts.copy()
    fact_scores = narrowed.fact_scores.copy()
    for row, entity in said.items():
        scores[row], spread[row] = mean_score(entity.score, entity.evidence), entity.chunks
    for row, fact in stating.items():
        fact_scores[row] = mean_score(fact.score, fact.evidence)
    return replace(narrowed, entity_scores=scores, entity_chunk_counts=spread, fact_scores=fact_scores)


def _seen_forms(
    connection: Connection,
    whole: ArraySnapshot,
    vectors: RowVectors,
    said: Mapping[int, EntityTally],
    mixed: Mask,
) -> Mask:
    """Which forms of the entities are said in scope; of those that are mixed, only what was counted."""
    seen = np.ones(vectors.place_count, dtype=bool)
    seen[vectors.places(np.flatnonzero(mixed))[0]] = False
    ids = [int(whole.entity_ids[row]) for row in sorted(said)]
    forms = select_in(
        connection, "SELECT entity, value FROM said WHERE vector IS NOT NULL AND entity IN ({}) ORDER BY value", ids
    )
    embedded: dict[int, list[str]] = {}
    for entity, form in forms:
        embedded.setdefault(entity, []).append(form)
    for row in said:
        values = embedded[int(whole.entity_ids[row])]
        places, _ = vectors.places(np.array([row]))
        seen[places] = [(Attribute.FORM, value) in said[row].said for value in values]
    return seen


def _with_any(vectors: RowVectors, places: Mask) -> Mask:
    """Which rows have a vector at one of these places."""
    found = places.astype(np.float32)
    size = len(vectors.matrix)
    return vectors.in_order(vectors.of_rows(SegmentValues(found[:size], found[size:]))) > 0


def _among(starts: Integers, wanted: Mask) -> Integers:
    """How many neighbours of each row are wanted."""
    running = np.concatenate([[0], np.cumsum(wanted)])
    return np.asarray(running[starts[1:]] - running[starts[:-1]], dtype=np.int64)


def _kept(starts: Integers, neighbours: Integers, kept: Mask) -> tuple[Integers, Integers]:
    """Neighbours without those that go, and where those of each row then start."""
    running = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return running[starts], neighbours[kept]


def _drop(kept: Mask, starts: Integers, neighbours: Integers, row: int, gone: Collection[int]) -> None:
    """Let go of some neighbours of one row."""
    part = slice(starts[row], starts[row + 1])
    kept[part] &= ~np.isin(neighbours[part], list(gone))
