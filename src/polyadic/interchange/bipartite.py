"""Iterate over the bipartite graph of entities and facts in chunks of bounded size, ordered by identifier."""

from collections.abc import Iterator

import numpy as np

from polyadic.model.types import Entity, Fact
from polyadic.storage.protocol import NodeType, Reader, Rows

_ROWS_PER_CHUNK = 1_000


def all_entities(reader: Reader) -> Iterator[Entity]:
    for rows in _row_chunks(reader, "entity"):
        yield from reader.entities(rows)


def all_facts(reader: Reader) -> Iterator[Fact]:
    for rows in _row_chunks(reader, "fact"):
        yield from reader.facts(rows)


def all_participations(reader: Reader) -> Iterator[tuple[Fact, tuple[Entity, ...]]]:
    """Iterate over facts with their entities, which are sorted by key."""
    for rows in _row_chunks(reader, "fact"):
        links = reader.links("fact_entities", rows)
        distinct = np.unique(links.targets)
        entities = dict(zip(distinct.tolist(), reader.entities(distinct), strict=True))
        members: dict[int, list[Entity]] = {row: [] for row in rows.tolist()}
        for fact, entity in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
            members[fact].append(entities[entity])
        for fact, entities_of_fact in zip(reader.facts(rows), members.values(), strict=True):
            yield fact, tuple(sorted(entities_of_fact, key=lambda entity: entity.key))


def _row_chunks(reader: Reader, node_type: NodeType) -> Iterator[Rows]:
    rows = reader.rows(node_type)
    for start in range(0, len(rows), _ROWS_PER_CHUNK):
        yield rows[start : start + _ROWS_PER_CHUNK]
