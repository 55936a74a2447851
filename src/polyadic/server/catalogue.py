"""Catalogue: pages over all entities and facts of a workspace, with bounded reads."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from polyadic.model.identity import entity_key
from polyadic.model.types import Entity, Fact
from polyadic.storage.protocol import Reader, Rows
from polyadic.workspace import Workspace

MOST_LISTED = 100_000
"""Number of best connected entities that can be listed; the others can only be found by searching."""
_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class EntityPage:
    """Entities, the best connected first.

    ``total`` is None if entities are filtered by type or name, because filtering stops at the end of the page. ``next``
    is the ``start`` of the next page; None on the last page.
    """

    entities: list[Entity]
    total: int | None
    next: int | None


@dataclass(frozen=True, slots=True)
class FactPage:
    """Facts, the most complete first; ``next`` as in EntityPage."""

    facts: list[Fact]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class EntityType:
    """An entity type, empty if unknown, and its number of entities."""

    type: str
    entities: int


@dataclass(frozen=True, slots=True)
class EntityTypes:
    """Entity types, the most frequent first; ``complete`` is False if not all entities were counted."""

    types: list[EntityType]
    complete: bool


def entities_page(kb: Workspace, type_: str | None, prefix: str, start: int, limit: int) -> EntityPage:
    """Return entities of a type (None: any type) with a word in their name that starts with ``prefix``."""
    with kb.store().read() as reader:
        order = _best_connected(reader)
        if type_ is None and not entity_key(prefix):
            end = start + limit
            next_start = end if end < len(order) else None
            return EntityPage(reader.entities(order[start:end]), reader.size("entity"), next_start)
        matches: list[tuple[int, Entity]] = []
        for position, entity in _from(reader, order, start):
            if (type_ is None or entity.type == type_) and _name_matches(entity, prefix):
                matches.append((position, entity))
                if len(matches) > limit:
                    break
        next_start = matches[limit][0] if len(matches) > limit else None
        return EntityPage([entity for _, entity in matches[:limit]], None, next_start)


def facts_page(kb: Workspace, arity: int | None, start: int, limit: int) -> FactPage:
    """Return facts that connect ``arity`` entities (None: any number)."""
    with kb.store().read() as reader:
        rows = reader.rows("fact")
        if arity is not None:
            rows = rows[reader.degrees("fact_entities", rows) == arity]
        best = rows[np.argsort(-reader.scores("fact", rows), kind="stable")]
        end = start + limit
        return FactPage(reader.facts(best[start:end]), len(best), end if end < len(best) else None)


def entity_types(kb: Workspace) -> EntityTypes:
    """Count the entities of each type."""
    with kb.store().read() as reader:
        order = _best_connected(reader)
        counted = Counter(entity.type for _, entity in _from(reader, order, 0))
        ranked = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
        return EntityTypes([EntityType(*one) for one in ranked], reader.size("entity") == len(order))


def _best_connected(reader: Reader) -> Rows:
    rows = reader.rows("entity")
    return rows[np.argsort(-reader.degrees("entity_facts", rows), kind="stable")][:MOST_LISTED]


def _from(reader: Reader, order: Rows, start: int) -> Iterator[tuple[int, Entity]]:
    """Yield entities with their positions in an order, fetched in blocks on demand."""
    for first in range(start, len(order), _BLOCK):
        yield from enumerate(reader.entities(order[first : first + _BLOCK]), first)


def _name_matches(entity: Entity, prefix: str) -> bool:
    """Return whether a word of the name starts with the prefix; several words must occur in this order.

    >>> ada = Entity("0" * 32, "ada lovelace", "Ada Lovelace", "", "", 50.0, 1)
    >>> [_name_matches(ada, words) for words in ("love", "ada love", "velace")]
    [True, True, False]
    """
    return f" {entity_key(prefix)}" in f" {entity.key}"
