"""Document filters: a view of a state as if the store held only some of its documents.

Rows are unchanged and vectors are shared, so a view needs little memory. Entities and facts whose evidence is all in
the selected documents are taken as they are. The others are aggregated again from the evidence in these documents,
which gives their scores, names and descriptions.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from polyadic.model.aggregation import Attribute, EntityTally, FactTally, Tallies, mean_score, tally
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution
from polyadic.storage.arrays.protocol import WAYS
from polyadic.storage.arrays.row_vectors import RowVectors, SegmentValues
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.topic_entities import with_topics
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.incidence import Incidence, Integers, Mask
from polyadic.storage.records import NodeType, ScoredNodeType
from polyadic.storage.sql.revisions import evidence_of, resolution_of
from polyadic.storage.sql.title_entities import entity_rows, title_entities, titles_of_chunks


@dataclass(frozen=True, slots=True)
class FilteredView:
    """The part of a state that is visible through a document filter.

    ``snapshot`` has the filtered incidence and statistics, ``state`` the vectors. ``seen`` masks the visible rows,
    ``seen_forms`` the visible entity vectors by place. ``formless`` are entities whose visible forms have no vector.
    ``entities`` and ``facts`` hold, by row, the tallies that were aggregated again. ``whole`` masks the entities and
    facts that have no evidence outside the selected documents.
    """

    documents: frozenset[str]
    state: StoreState
    snapshot: ArraySnapshot
    seen: Mapping[NodeType, Mask]
    seen_forms: Mask
    formless: Integers
    entities: Mapping[int, EntityTally]
    facts: Mapping[int, FactTally]
    whole: Mapping[ScoredNodeType, Mask]


@dataclass(frozen=True, slots=True)
class CorpusTotals:
    """Facts per entity, and chunks per fact, in the whole store."""

    facts: Integers
    chunks: Integers

    @classmethod
    def of(cls, whole: ArraySnapshot) -> Self:
        """Count from a snapshot of the whole store."""
        return cls(whole.incidence["entity_facts"].sizes, whole.incidence["fact_chunks"].sizes)


def scope_of(
    connection: Connection, state: StoreState, whole: ArraySnapshot, totals: CorpusTotals, documents: frozenset[str]
) -> FilteredView:
    """Build the view of these documents (by identifier) in a state.

    Parameters
    ----------
    connection
        A connection whose transaction reads this state.
    state
        Supplies the vectors.
    whole
        A snapshot of the whole store, or of a part that contains all statements of these documents; the connection may
        be limited in the same way.
    totals
        Counts of the whole store.
    documents
        Identifiers of the selected documents.
    """
    chunks = _seen_chunks(connection, whole, documents)
    entity_facts, fact_chunks = whole.incidence["entity_facts"], whole.incidence["fact_chunks"]
    chunk_counts = fact_chunks.count(chunks)
    facts = chunk_counts > 0
    mixed_facts = facts & (chunk_counts < totals.chunks)
    is_mixed_entity = entity_facts.count(~facts | mixed_facts) > 0
    is_mixed_entity |= totals.facts > entity_facts.sizes
    entities = entity_facts.count(facts) > 0
    # Entities that a decision renames are aggregated as well: the name may occur only in other documents.
    mixed_entities = entities & (is_mixed_entity | _has_decided_name(connection, whole))
    tallies = _aggregate(connection, whole, chunks, mixed_entities)
    entity_tallies = _entity_tallies(connection, whole, tallies, mixed_entities)
    entities &= ~mixed_entities
    entities[list(entity_tallies)] = True
    fact_tallies = _fact_tallies(connection, whole, tallies, mixed_facts)
    seen: dict[NodeType, Mask] = {"chunk": chunks, "fact": facts, "entity": entities}
    snapshot = with_topics(
        _with_scores(_filtered_snapshot(connection, whole, seen, fact_tallies), entity_tallies, fact_tallies)
    )
    vectors = state.vectors("entity")
    forms = _seen_forms(connection, whole, vectors, entity_tallies, mixed_entities)
    formless = np.flatnonzero(entities & ~_with_any(vectors, forms))
    whole_entities = entities & ~is_mixed_entity & ~_has_outside_name(connection, whole, documents, entity_tallies)
    exclusive: dict[ScoredNodeType, Mask] = {"entity": whole_entities, "fact": facts & ~mixed_facts}
    return FilteredView(documents, state, snapshot, seen, forms, formless, entity_tallies, fact_tallies, exclusive)


def is_split_off(resolution: EntityResolution, key: str, documents: Collection[str]) -> bool:
    """Return whether a decision split an entity off, under this key, for one of these documents."""
    made = (d for d in resolution.decisions if d.kind is DecisionKind.SPLIT and entity_key(d.into) == key)
    return any(document in documents for decision in made for document in decision.documents)


def _seen_chunks(connection: Connection, whole: ArraySnapshot, documents: Collection[str]) -> Mask:
    rows = select_in(
        connection,
        "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest {any_of}",
        [bytes.fromhex(document) for document in sorted(documents)],
    )
    seen = np.zeros(whole.size("chunk"), dtype=bool)
    seen[whole.rows("chunk", [row for (row,) in rows])] = True
    return seen


def _has_decided_name(connection: Connection, whole: ArraySnapshot) -> Mask:
    """Mask the entities that a decision names."""
    has_name = np.zeros(whole.size("entity"), dtype=bool)
    has_name[whole.rows("entity", list(entity_rows(connection, resolution_of(connection).named).values()))] = True
    return has_name


def _has_outside_name(
    connection: Connection, whole: ArraySnapshot, documents: Collection[str], entity_tallies: Mapping[int, EntityTally]
) -> Mask:
    """Mask the entities whose name was set by a decision and occurs in none of the selected documents."""
    resolution = resolution_of(connection)
    keys = entity_rows(connection, resolution.named)
    rows = whole.rows("entity", list(keys.values())).tolist()
    outside = np.zeros(whole.size("entity"), dtype=bool)
    for key, row in zip(keys, rows, strict=True):
        if row in entity_tallies and (Attribute.NAME, resolution.name(key)) not in entity_tallies[row].value_counts:
            outside[row] = not is_split_off(resolution, key, documents)
    return outside


def _aggregate(connection: Connection, whole: ArraySnapshot, chunks: Mask, entities: Mask) -> Tallies:
    """Aggregate the visible evidence of all chunks that state facts about these entities."""
    facts, _ = whole.linked("entity_facts", np.flatnonzero(entities))
    chunk_rows, _ = whole.linked("fact_chunks", np.unique(facts))
    keys = whole.keys["chunk"][np.unique(chunk_rows[chunks[chunk_rows]])]
    return tally(evidence_of(connection, keys.tolist()), resolution_of(connection))


def _entity_tallies(
    connection: Connection, whole: ArraySnapshot, tallies: Tallies, mixed: Mask
) -> dict[int, EntityTally]:
    """Return, by row, the filtered tally of each entity that also has evidence in other documents."""
    keyed = entity_rows(connection, tallies.entities)
    rows = whole.rows("entity", list(keyed.values())).tolist()
    return {row: tallies.entities[key] for key, row in zip(keyed, rows, strict=True) if mixed[row]}


def _fact_tallies(connection: Connection, whole: ArraySnapshot, tallies: Tallies, mixed: Mask) -> dict[int, FactTally]:
    digests = [bytes.fromhex(fact) for fact in sorted(tallies.facts)]
    records = list(select_in(connection, "SELECT digest, id FROM fact WHERE digest {any_of}", digests))
    rows = whole.rows("fact", [row for _, row in records]).tolist()
    return {row: tallies.facts[digest.hex()] for (digest, _), row in zip(records, rows, strict=True) if mixed[row]}


def _filtered_snapshot(
    connection: Connection, whole: ArraySnapshot, seen: Mapping[NodeType, Mask], fact_tallies: Mapping[int, FactTally]
) -> ArraySnapshot:
    """Remove everything that is filtered out from the incidence arrays."""
    hidden = _hidden_participants(connection, whole, fact_tallies)
    kept = {
        way: seen[s][one.sources] & seen[t][one.targets] for way, one in whole.incidence.items() for s, t in [WAYS[way]]
    }
    for fact, entities in hidden.items():
        _drop(kept["fact_entities"], whole.incidence["fact_entities"], fact, entities)
        for entity in entities:
            _drop(kept["entity_facts"], whole.incidence["entity_facts"], entity, {fact})
    incidence = {way: one.kept(kept[way]) for way, one in whole.incidence.items()}
    return replace(whole, titles=_titles(connection, whole, seen), incidence=incidence)


def _hidden_participants(
    connection: Connection, whole: ArraySnapshot, fact_tallies: Mapping[int, FactTally]
) -> dict[int, set[int]]:
    """Return, for each fact, the entities whose participation has only hidden evidence (after splits)."""
    members = {row: whole.linked("fact_entities", np.array([row]))[0].tolist() for row in sorted(fact_tallies)}
    fewer = {row: linked for row, linked in members.items() if len(fact_tallies[row].participants) < len(linked)}
    rows = np.unique([entity for linked in fewer.values() for entity in linked]).astype(np.int64)
    ids = whole.ids("entity", rows).tolist()
    records = list(select_in(connection, "SELECT id, key FROM entity WHERE id {any_of}", ids))
    keys = dict(
        zip(whole.rows("entity", [row for row, _ in records]).tolist(), (key for _, key in records), strict=True)
    )
    return {
        row: {entity_row for entity_row in linked if keys[entity_row] not in fact_tallies[row].participants}
        for row, linked in fewer.items()
    }


def _titles(connection: Connection, whole: ArraySnapshot, seen: Mapping[NodeType, Mask]) -> Integers:
    """Return the title entities; if a title's entity is hidden, the title without its qualifier may name another."""
    entities, chunks = seen["entity"], seen["chunk"]
    titles = np.where(chunks, whole.titles, -1)
    lost = np.flatnonzero((titles >= 0) & ~entities[np.maximum(titles, 0)]) if len(entities) else titles[:0]
    titles[lost] = -1

    def is_seen(entity: int) -> bool:
        return bool(entities[whole.rows("entity", [entity])[0]])

    documents = titles_of_chunks(connection, whole.ids("chunk", lost).tolist())
    entity_of_chunk = title_entities(connection, resolution_of(connection), documents, is_seen)
    for chunk, entity in entity_of_chunk.items():
        if entity >= 0:
            titles[whole.rows("chunk", [chunk])] = whole.rows("entity", [entity])
    return titles


def _with_scores(
    snapshot: ArraySnapshot, entity_tallies: Mapping[int, EntityTally], fact_tallies: Mapping[int, FactTally]
) -> ArraySnapshot:
    scores, counts = (
        {node_type: one.copy() for node_type, one in snapshot.row_scores.items()},
        snapshot.chunk_counts.copy(),
    )
    for row, entity in entity_tallies.items():
        scores["entity"][row], counts[row] = mean_score(entity.score, entity.evidence), entity.chunks
    for row, fact in fact_tallies.items():
        scores["fact"][row] = mean_score(fact.score, fact.evidence)
    return replace(snapshot, row_scores=scores, chunk_counts=counts)


def _seen_forms(
    connection: Connection,
    whole: ArraySnapshot,
    vectors: RowVectors,
    entity_tallies: Mapping[int, EntityTally],
    mixed: Mask,
) -> Mask:
    """Mask the visible entity forms; entities with evidence in other documents keep only their filtered forms."""
    seen = np.ones(vectors.place_count, dtype=bool)
    seen[vectors.places(np.flatnonzero(mixed))[0]] = False
    ids = whole.ids("entity", np.array(sorted(entity_tallies), dtype=np.int64)).tolist()
    forms = select_in(
        connection,
        "SELECT entity, value FROM attribute_value WHERE vector IS NOT NULL AND entity {any_of} ORDER BY value_digest",
        ids,
    )
    embedded: dict[int, list[str]] = {}
    for entity, form in forms:
        embedded.setdefault(entity, []).append(form)
    for row in entity_tallies:
        values = embedded[int(whole.keys["entity"][row])]
        places, _ = vectors.places(np.array([row]))
        seen[places] = [(Attribute.FORM, value) in entity_tallies[row].value_counts for value in values]
    return seen


def _with_any(vectors: RowVectors, places: Mask) -> Mask:
    """Mask the rows that have a vector at one of these places."""
    values = places.astype(np.float32)
    size = len(vectors.matrix)
    return vectors.in_order(vectors.of_rows(SegmentValues(values[:size], values[size:]))) > 0


def _drop(kept: Mask, incidence: Incidence, row: int, gone: Collection[int]) -> None:
    """Unmask some neighbours of one row."""
    part = slice(incidence.starts[row], incidence.starts[row + 1])
    kept[part] &= ~np.isin(incidence.targets[part], list(gone))
