"""Entities, facts and who takes part in which, read in stretches of bounded size, in the order of identifiers."""

from collections.abc import Iterator

import numpy as np

from polyadic.model.types import Entity, Fact
from polyadic.storage.protocol import Reader, Rows, Side

_STRETCH = 1_000


def all_entities(reader: Reader) -> Iterator[Entity]:
    for rows in _stretches(reader, "entity"):
        yield from reader.entities(rows)


def all_facts(reader: Reader) -> Iterator[Fact]:
    for rows in _stretches(reader, "fact"):
        yield from reader.facts(rows)


def all_participations(reader: Reader) -> Iterator[tuple[Fact, tuple[Entity, ...]]]:
    """Every fact with its entities, by key."""
    for rows in _stretches(reader, "fact"):
        links = reader.entities_of(rows)
        distinct = np.unique(links.targets)
        entities = dict(zip(distinct.tolist(), reader.entities(distinct), strict=True))
        members: dict[int, list[Entity]] = {row: [] for row in rows.tolist()}
        for fact, entity in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
            members[fact].append(entities[entity])
        for fact, found in zip(reader.facts(rows), members.values(), strict=True):
            yield fact, tuple(sorted(found, key=lambda entity: entity.key))


def _stretches(reader: Reader, side: Side) -> Iterator[Rows]:
    rows = reader.all_rows(side)
    for start in range(0, len(rows), _STRETCH):
        yield rows[start : start + _STRETCH]
