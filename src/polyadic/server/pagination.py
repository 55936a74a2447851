"""Going through all entities and facts of a workspace, page by page; all of it bounded reads."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from polyadic.model.identity import entity_key
from polyadic.model.types import Entity, Fact
from polyadic.storage.protocol import Reader, Rows
from polyadic.workspace import Workspace

MOST_LISTED = 100_000
"""Entities that are looked at for one page; those beyond, the least connected, are found by searching."""
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class EntityPage:
    """Entities, the best connected first.

    ``total`` is None where entities are chosen by type or name: they are looked for only as far as the page reaches.
    ``next`` is to be passed as ``start`` for those that follow; None where none do.
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
    """A type of entities, empty for those of which no type is known, and how many there are."""

    type: str
    entities: int


@dataclass(frozen=True, slots=True)
class EntityTypes:
    """The most frequent types first; ``whole`` is False where there are more entities than were counted."""

    types: list[EntityType]
    whole: bool


def entities_page(kb: Workspace, type_: str | None, prefix: str, start: int, limit: int) -> EntityPage:
    """Entities of a type, or of any where it is None, of whose name a word begins with ``prefix``."""
    with kb.store().read() as reader:
        order = _best_connected(reader)
        if type_ is None and not entity_key(prefix):
            end = start + limit
            following = end if end < len(order) else None
            return EntityPage(reader.entities(order[start:end]), reader.size("entity"), following)
        found: list[tuple[int, Entity]] = []
        for place, entity in _from(reader, order, start):
            if (type_ is None or entity.type == type_) and _is_called(entity, prefix):
                found.append((place, entity))
                if len(found) > limit:
                    break
        following = found[limit][0] if len(found) > limit else None
        return EntityPage([entity for _, entity in found[:limit]], None, following)


def facts_page(kb: Workspace, arity: int | None, start: int, limit: int) -> FactPage:
    """Facts that connect so many entities, or any number of them where it is None."""
    with kb.store().read() as reader:
        rows = np.arange(reader.size("fact"), dtype=np.int64)
        if arity is not None:
            rows = rows[reader.degrees("fact", rows) == arity]
        best = rows[np.argsort(-reader.scores("fact", rows), kind="stable")]
        end = start + limit
        return FactPage(reader.facts(best[start:end]), len(best), end if end < len(best) else None)


def entity_types(kb: Workspace) -> EntityTypes:
    """How many entities there are of each type."""
    with kb.store().read() as reader:
        order = _best_connected(reader)
        counted = Counter(entity.type for _, entity in _from(reader, order, 0))
        ranked = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
        return EntityTypes([EntityType(*one) for one in ranked], reader.size("entity") == len(order))


def _best_connected(reader: Reader) -> Rows:
    rows = np.arange(reader.size("entity"), dtype=np.int64)
    return rows[np.argsort(-reader.degrees("entity", rows), kind="stable")][:MOST_LISTED]


def _from(reader: Reader, order: Rows, start: int) -> Iterator[tuple[int, Entity]]:
    """Entities with their places in an order, fetched as far as they are asked for."""
    for first in range(start, len(order), _AT_ONCE):
        yield from enumerate(reader.entities(order[first : first + _AT_ONCE]), first)


def _is_called(entity: Entity, prefix: str) -> bool:
    """Whether a word of the name begins so; what holds several words has to stand there as it is.

    >>> ada = Entity("0" * 32, "ada lovelace", "Ada Lovelace", "", "", 50.0, 1)
    >>> [_is_called(ada, words) for words in ("love", "ada love", "velace")]
    [True, True, False]
    """
    return f" {entity_key(prefix)}" in f" {entity.key}"
