"""Document filters: a view of a state as if the store held only some of its documents.

Rows are unchanged and vectors are shared, so a view needs little memory. Entities and facts whose evidence is all in
the selected documents are taken as they are. The others are aggregated again from the evidence in these documents,
which gives their scores, names and descriptions.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from polyadic.model.aggregation import Attribute, EntityTally, FactTally, Tallies, mean_score, tally
from polyadic.model.identity import entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution
from polyadic.storage.arrays.row_vectors import RowVectors, SegmentValues
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.arrays.topic_entities import with_subjects
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers, Mask
from polyadic.storage.protocol import Side
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.entity_rows import entity_rows
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.serialization import evidence_of, overlay_of
from polyadic.storage.sql.title_entities import title_entities, titles_of_chunks


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
    seen: Mapping[Side, Mask]
    seen_forms: Mask
    formless: Integers
    entities: Mapping[int, EntityTally]
    facts: Mapping[int, FactTally]
    whole: Mapping[Literal["entity", "fact"], Mask]


@dataclass(frozen=True, slots=True)
class CorpusTotals:
    """Facts per entity, and chunks per fact, in the whole store."""

    facts: Integers
    chunks: Integers

    @classmethod
    def of(cls, whole: ArraySnapshot) -> Self:
        """Count from a snapshot of the whole store."""
        return cls(np.diff(whole.entity_fact_starts), np.diff(whole.fact_chunk_starts))


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
    chunk_counts = _count_selected(whole.fact_chunk_starts, chunks[whole.fact_chunks])
    facts = chunk_counts > 0
    mixed_facts = facts & (chunk_counts < totals.chunks)
    is_mixed_entity = _count_selected(whole.entity_fact_starts, (~facts | mixed_facts)[whole.entity_facts]) > 0
    is_mixed_entity |= totals.facts > np.diff(whole.entity_fact_starts)
    entities = _count_selected(whole.entity_fact_starts, facts[whole.entity_facts]) > 0
    # Entities that a decision renames are aggregated as well: the name may occur only in other documents.
    mixed_entities = entities & (is_mixed_entity | _has_decided_name(connection, whole))
    tallies = _aggregate(connection, whole, chunks, mixed_entities)
    entity_tallies = _entity_tallies(connection, whole, tallies, mixed_entities)
    entities &= ~mixed_entities
    entities[list(entity_tallies)] = True
    fact_tallies = _fact_tallies(connection, whole, tallies, mixed_facts)
    seen: dict[Side, Mask] = {"chunk": chunks, "fact": facts, "entity": entities}
    snapshot = with_subjects(
        _with_scores(_filtered_snapshot(connection, whole, seen, fact_tallies), entity_tallies, fact_tallies)
    )
    vectors = state.vectors("entity")
    forms = _seen_forms(connection, whole, vectors, entity_tallies, mixed_entities)
    formless = np.flatnonzero(entities & ~_with_any(vectors, forms))
    whole_entities = entities & ~is_mixed_entity & ~_has_outside_name(connection, whole, documents, entity_tallies)
    exclusive: dict[Literal["entity", "fact"], Mask] = {"entity": whole_entities, "fact": facts & ~mixed_facts}
    return FilteredView(documents, state, snapshot, seen, forms, formless, entity_tallies, fact_tallies, exclusive)


def is_split_off(overlay: EntityResolution, key: str, documents: Collection[str]) -> bool:
    """Return whether a decision split an entity off, under this key, for one of these documents."""
    made = (d for d in overlay.decisions if d.kind is DecisionKind.SPLIT and entity_key(d.into) == key)
    return any(document in documents for decision in made for document in decision.documents)


def _seen_chunks(connection: Connection, whole: ArraySnapshot, documents: Collection[str]) -> Mask:
    rows = select_in(
        connection,
        "SELECT c.id FROM document d JOIN chunk c ON c.revision = d.current WHERE d.digest {any_of}",
        [digest_bytes(document) for document in sorted(documents)],
    )
    seen = np.zeros(len(whole.chunk_ids), dtype=bool)
    seen[whole.rows("chunk", [row for (row,) in rows])] = True
    return seen


def _has_decided_name(connection: Connection, whole: ArraySnapshot) -> Mask:
    """Mask the entities that a decision names."""
    has_name = np.zeros(len(whole.entity_ids), dtype=bool)
    has_name[whole.rows("entity", list(entity_rows(connection, overlay_of(connection).named).values()))] = True
    return has_name


def _has_outside_name(
    connection: Connection, whole: ArraySnapshot, documents: Collection[str], entity_tallies: Mapping[int, EntityTally]
) -> Mask:
    """Mask the entities whose name was set by a decision and occurs in none of the selected documents."""
    overlay = overlay_of(connection)
    keys = entity_rows(connection, overlay.named)
    rows = whole.rows("entity", list(keys.values())).tolist()
    outside = np.zeros(len(whole.entity_ids), dtype=bool)
    for key, row in zip(keys, rows, strict=True):
        if row in entity_tallies and (Attribute.NAME, overlay.name(key)) not in entity_tallies[row].value_counts:
            outside[row] = not is_split_off(overlay, key, documents)
    return outside


def _aggregate(connection: Connection, whole: ArraySnapshot, chunks: Mask, entities: Mask) -> Tallies:
    """Aggregate the visible evidence of all chunks that state facts about these entities."""
    in_entity = np.repeat(entities, np.diff(whole.entity_fact_starts))
    facts = np.zeros(len(whole.fact_ids), dtype=bool)
    facts[whole.entity_facts[in_entity]] = True
    chunk_rows = whole.fact_chunks[np.repeat(facts, np.diff(whole.fact_chunk_starts))]
    keys = whole.chunk_ids[np.unique(chunk_rows[chunks[chunk_rows]])]
    return tally(evidence_of(connection, keys.tolist()), overlay_of(connection))


def _entity_tallies(
    connection: Connection, whole: ArraySnapshot, tallies: Tallies, mixed: Mask
) -> dict[int, EntityTally]:
    """Return, by row, the filtered tally of each entity that also has evidence in other documents."""
    keyed = entity_rows(connection, tallies.entities)
    rows = whole.rows("entity", list(keyed.values())).tolist()
    return {row: tallies.entities[key] for key, row in zip(keyed, rows, strict=True) if mixed[row]}


def _fact_tallies(connection: Connection, whole: ArraySnapshot, tallies: Tallies, mixed: Mask) -> dict[int, FactTally]:
    digests = [digest_bytes(fact) for fact in sorted(tallies.facts)]
    records = list(select_in(connection, "SELECT digest, id FROM fact WHERE digest {any_of}", digests))
    rows = whole.rows("fact", [row for _, row in records]).tolist()
    return {row: tallies.facts[digest.hex()] for (digest, _), row in zip(records, rows, strict=True) if mixed[row]}


def _filtered_snapshot(
    connection: Connection, whole: ArraySnapshot, seen: Mapping[Side, Mask], fact_tallies: Mapping[int, FactTally]
) -> ArraySnapshot:
    """Remove everything that is filtered out from the incidence arrays."""
    facts, entities, chunks = seen["fact"], seen["entity"], seen["chunk"]
    hidden = _hidden_participants(connection, whole, fact_tallies)
    fact_entities = np.repeat(facts, np.diff(whole.fact_entity_starts)) & entities[whole.fact_entities]
    entity_facts = np.repeat(entities, np.diff(whole.entity_fact_starts)) & facts[whole.entity_facts]
    for fact, others in hidden.items():
        _drop(fact_entities, whole.fact_entity_starts, whole.fact_entities, fact, others)
        for other in others:
            _drop(entity_facts, whole.entity_fact_starts, whole.entity_facts, other, {fact})
    chunk_facts = np.repeat(chunks, np.diff(whole.chunk_fact_starts))
    fact_entity_starts, members = _filter_csr(whole.fact_entity_starts, whole.fact_entities, fact_entities)
    entity_fact_starts, joined = _filter_csr(whole.entity_fact_starts, whole.entity_facts, entity_facts)
    fact_chunk_starts, stating_chunks = _filter_csr(
        whole.fact_chunk_starts, whole.fact_chunks, chunks[whole.fact_chunks]
    )
    chunk_fact_starts, stated_facts = _filter_csr(whole.chunk_fact_starts, whole.chunk_facts, chunk_facts)
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


def _hidden_participants(
    connection: Connection, whole: ArraySnapshot, fact_tallies: Mapping[int, FactTally]
) -> dict[int, set[int]]:
    """Return, for each fact, the entities whose participation has only hidden evidence (after splits)."""
    starts = whole.fact_entity_starts
    members = {row: whole.fact_entities[starts[row] : starts[row + 1]].tolist() for row in sorted(fact_tallies)}
    fewer = {row: linked for row, linked in members.items() if len(fact_tallies[row].participants) < len(linked)}
    ids = [
        int(whole.entity_ids[entity])
        for entity in sorted({entity_row for linked in fewer.values() for entity_row in linked})
    ]
    records = list(select_in(connection, "SELECT id, key FROM entity WHERE id {any_of}", ids))
    keys = dict(
        zip(whole.rows("entity", [row for row, _ in records]).tolist(), (key for _, key in records), strict=True)
    )
    return {
        row: {entity_row for entity_row in linked if keys[entity_row] not in fact_tallies[row].participants}
        for row, linked in fewer.items()
    }


def _titles(connection: Connection, whole: ArraySnapshot, seen: Mapping[Side, Mask]) -> Integers:
    """Return the title entities; if a title's entity is hidden, the title without its qualifier may name another."""
    entities, chunks = seen["entity"], seen["chunk"]
    titles = np.where(chunks, whole.title_entity, -1)
    lost = np.flatnonzero((titles >= 0) & ~entities[np.maximum(titles, 0)]) if len(entities) else titles[:0]
    titles[lost] = -1

    def is_seen(entity: int) -> bool:
        return bool(entities[whole.rows("entity", [entity])[0]])

    documents = titles_of_chunks(connection, whole.chunk_ids[lost].tolist())
    entity_of_chunk = title_entities(connection, overlay_of(connection), documents, is_seen)
    for chunk, entity in entity_of_chunk.items():
        if entity >= 0:
            titles[whole.rows("chunk", [chunk])] = whole.rows("entity", [entity])
    return titles


def _with_scores(
    snapshot: ArraySnapshot, entity_tallies: Mapping[int, EntityTally], fact_tallies: Mapping[int, FactTally]
) -> ArraySnapshot:
    scores, spread = snapshot.entity_scores.copy(), snapshot.entity_chunk_counts.copy()
    fact_scores = snapshot.fact_scores.copy()
    for row, entity in entity_tallies.items():
        scores[row], spread[row] = mean_score(entity.score, entity.evidence), entity.chunks
    for row, fact in fact_tallies.items():
        fact_scores[row] = mean_score(fact.score, fact.evidence)
    return replace(snapshot, entity_scores=scores, entity_chunk_counts=spread, fact_scores=fact_scores)


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
    ids = [int(whole.entity_ids[row]) for row in sorted(entity_tallies)]
    forms = select_in(
        connection,
        "SELECT entity, value FROM attribute_value WHERE vector IS NOT NULL AND entity {any_of} ORDER BY value_digest",
        ids,
    )
    embedded: dict[int, list[str]] = {}
    for entity, form in forms:
        embedded.setdefault(entity, []).append(form)
    for row in entity_tallies:
        values = embedded[int(whole.entity_ids[row])]
        places, _ = vectors.places(np.array([row]))
        seen[places] = [(Attribute.FORM, value) in entity_tallies[row].value_counts for value in values]
    return seen


def _with_any(vectors: RowVectors, places: Mask) -> Mask:
    """Mask the rows that have a vector at one of these places."""
    values = places.astype(np.float32)
    size = len(vectors.matrix)
    return vectors.in_order(vectors.of_rows(SegmentValues(values[:size], values[size:]))) > 0


def _count_selected(starts: Integers, wanted: Mask) -> Integers:
    """Count the neighbours of each row that the mask selects."""
    running = np.concatenate([[0], np.cumsum(wanted)])
    return np.asarray(running[starts[1:]] - running[starts[:-1]], dtype=np.int64)


def _filter_csr(starts: Integers, neighbours: Integers, kept: Mask) -> tuple[Integers, Integers]:
    """Filter CSR arrays by a mask of targets."""
    running = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return running[starts], neighbours[kept]


def _drop(kept: Mask, starts: Integers, neighbours: Integers, row: int, gone: Collection[int]) -> None:
    """Unmask some neighbours of one row."""
    part = slice(starts[row], starts[row + 1])
    kept[part] &= ~np.isin(neighbours[part], list(gone))
