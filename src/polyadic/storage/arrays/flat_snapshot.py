"""Merge a state's base and deltas into one array snapshot (all but the vectors), for full scans."""

import numpy as np

from polyadic.storage.arrays.protocol import Way
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.arrays.state import SIDES, StoreState
from polyadic.storage.incidence import Integers, starts_of


def flat(state: StoreState) -> ArraySnapshot:
    """Return the snapshot that a build from the tables would give; without changes, the base's own."""
    if not state.changed:
        return state.base.snapshot
    entities, facts, chunks = (np.arange(state.size(side)) for side in SIDES)
    order = np.empty(len(chunks), dtype=np.int64)
    order[np.lexsort(state.sort_keys(chunks))] = np.arange(len(chunks))
    about_starts, about_chunks = _csr(*state.chunks_about(entities, len(chunks)), len(entities))
    fact_entity_starts, fact_entities = _incidence(state, "fact_entities", facts)
    entity_fact_starts, entity_facts = _incidence(state, "entity_facts", entities)
    fact_chunk_starts, fact_chunks = _incidence(state, "fact_chunks", facts)
    chunk_fact_starts, chunk_facts = _incidence(state, "chunk_facts", chunks)
    return ArraySnapshot(
        entity_ids=state.ids("entity", entities),
        entity_scores=state.scores("entity", entities),
        entity_chunk_counts=state.chunk_frequency(entities),
        fact_ids=state.ids("fact", facts),
        fact_scores=state.scores("fact", facts),
        chunk_ids=state.ids("chunk", chunks),
        chunk_order=order,
        title_entity=state.titles(chunks),
        about_entity=state.about(chunks),
        about_starts=about_starts,
        about_chunks=about_chunks,
        fact_entity_starts=fact_entity_starts,
        fact_entities=fact_entities,
        entity_fact_starts=entity_fact_starts,
        entity_facts=entity_facts,
        fact_chunk_starts=fact_chunk_starts,
        fact_chunks=fact_chunks,
        chunk_fact_starts=chunk_fact_starts,
        chunk_facts=chunk_facts,
    )


def _incidence(state: StoreState, way: Way, rows: Integers) -> tuple[Integers, Integers]:
    return _csr(*state.linked(way, rows), len(rows))


def _csr(targets: Integers, owners: Integers, rows: int) -> tuple[Integers, Integers]:
    """Return CSR arrays from targets that are grouped by row."""
    return starts_of(np.bincount(owners, minlength=rows)), targets
