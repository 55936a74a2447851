"""Topic entity of each chunk: the one that the document's title names, else the one that most of its facts share.

On two question sets with the titles withheld, the second rule is worth 0.02 to 0.05 of recall@5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from polyadic.storage.arrays.base import Base
from polyadic.storage.arrays.row_map import find
from polyadic.storage.arrays.segments import NodeRows
from polyadic.storage.incidence import Floats, Integers, limited, matches
from polyadic.storage.records import DegreeWay, IncidenceWay, NodeType, ScoredNodeType

_SHARE = 0.6
"""Minimum share of a chunk's facts that its topic entity takes part in."""


class FactArrays(Protocol):
    """The part of a StoreState that topic entities are computed from."""

    def linked(self, way: IncidenceWay, rows: Integers) -> tuple[Integers, Integers]:
        """Return the neighbours of each row in ascending order, and for each neighbour the index of its row."""

    def degrees(self, way: DegreeWay, rows: Integers) -> Integers:
        """Count the neighbours of each row."""

    def scores(self, node_type: ScoredNodeType, rows: Integers) -> Floats:
        """Return the score of each row."""


def shared(state: FactArrays, chunks: Integers) -> Integers:
    """Return the entity in most facts of each chunk, ties broken by :func:`highest_scored`; -1 if none."""
    owners, entities = contenders(state, chunks)
    return highest_scored(state, len(chunks), owners, entities, entities)


def highest_scored(state: FactArrays, size: int, owners: Integers, entities: Integers, ranks: Integers) -> Integers:
    """Return each chunk's contender with the highest score; ties go to the fewest facts, then to the lowest rank."""
    order = np.lexsort((ranks, state.degrees("entity_facts", entities), -state.scores("entity", entities), owners))
    first, places = np.unique(owners[order], return_index=True)
    topics = np.full(size, -1, dtype=np.int64)
    topics[first] = entities[order[places]]
    return topics


def contenders(state: FactArrays, chunks: Integers) -> tuple[Integers, Integers]:
    """Return the entities that take part in most facts of each chunk (an index), if that is share enough."""
    facts, chunk_of_fact = state.linked("chunk_facts", chunks)
    members, fact_of_member = state.linked("fact_entities", facts)
    size = int(members.max(initial=0)) + 1
    pairs, times = np.unique(chunk_of_fact[fact_of_member] * size + members, return_counts=True)
    owners, entities = np.divmod(pairs, size)
    most = np.zeros(len(chunks), dtype=np.int64)
    np.maximum.at(most, owners, times)
    first = (times == most[owners]) & (times >= _SHARE * np.bincount(chunk_of_fact, minlength=len(chunks))[owners])
    return owners[first].astype(np.int64), entities[first].astype(np.int64)


@dataclass(frozen=True)
class UpdatedTopics:
    """Topic entities of a state.

    ``rows`` are the chunks whose topics were computed again, sorted: those of the delta, and those for which a changed
    entity is a contender. ``entities`` are their topics, -1 if there is none.
    """

    base: Base
    nodes: Mapping[NodeType, NodeRows]
    rows: Integers
    entities: Integers

    @classmethod
    def of(cls, base: Base, nodes: Mapping[NodeType, NodeRows], state: FactArrays) -> Self:
        """Compute the topics of a state that may have changed since its base."""
        chunks, entities = nodes["chunk"], nodes["entity"]
        contested, _ = base.incidence["contested"].neighbours(entities.row_map.hidden)
        contested = contested[chunks.row_map.is_current(contested)]
        rows = np.unique(chunks.row_map.rows(np.concatenate([chunks.row_map.delta, contested])))
        topics = chunks.column("title", rows)
        is_titled = topics >= 0
        topics[is_titled] = entities.rows(topics[is_titled])
        topics[~is_titled] = shared(state, rows[~is_titled])
        return cls(base, nodes, rows, topics)

    def about(self, chunks: Integers) -> Integers:
        """Return the topic entity of each chunk, -1 if there is none."""
        if self._is_unchanged:
            return self.base.topics[chunks]
        updated = find(self.rows, chunks)
        topics = np.full(len(chunks), -1, dtype=np.int64)
        of_base = (updated < 0).nonzero()[0]
        entities = self.base.topics[self.nodes["chunk"].row_map.positions(chunks[of_base])]
        topics[of_base[entities >= 0]] = self.nodes["entity"].row_map.rows(entities[entities >= 0])
        of_delta = (updated >= 0).nonzero()[0]
        topics[of_delta] = self.entities[updated[of_delta]]
        return topics

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        """Return the chunks about each entity in document order, at most ``limit`` each, with its index."""
        of_base = self.base.incidence["topic_chunks"]
        if self._is_unchanged:
            return of_base.neighbours(entities, limit)
        of_entities, of_chunks = self.nodes["entity"].row_map, self.nodes["chunk"].row_map
        bases = of_entities.in_base(of_entities.positions(entities))
        in_base = (bases >= 0).nonzero()[0]
        # At most this many chunks that are left out can precede the others.
        enough = None if limit is None else limit + len(self.rows) + len(of_chunks.hidden)
        chunks, owners = of_base.neighbours(bases[in_base], enough)
        current = of_chunks.is_current(chunks)
        chunks, owners = of_chunks.rows(chunks[current]), in_base[owners[current]]
        same = find(self.rows, chunks) < 0
        topics, updated = self._by_topic
        places, others = matches(topics, entities)
        chunks, owners = np.append(chunks[same], updated[places]), np.append(owners[same], others)
        documents, offsets = (self.nodes["chunk"].column(name, chunks) for name in ("document", "offset"))
        order = np.lexsort((offsets, documents, owners))
        order = order if limit is None else order[limited(owners[order], limit)]
        return chunks[order], owners[order]

    @property
    def _is_unchanged(self) -> bool:
        """Whether the base's arrays apply unchanged."""
        return not len(self.rows) and all(self.nodes[one].row_map.is_identity for one in ("chunk", "entity"))

    @cached_property
    def _by_topic(self) -> tuple[Integers, Integers]:
        """The updated topics in ascending order, and the chunk of each."""
        order = np.argsort(self.entities, kind="stable")
        return self.entities[order], self.rows[order]
