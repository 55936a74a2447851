"""Looking things up in the hypergraph: entities and facts by name or meaning, and what lies around one of them."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from polyadic.construction.store_memory import StoreMemory
from polyadic.identity import entity_key, loose_name
from polyadic.knowledge import Entity, Fact
from polyadic.lookup import FactView, facts_of_all
from polyadic.models.paying import Bill
from polyadic.serving.problems import not_found
from polyadic.store.protocol import Reader, Rows, Side, Vectors
from polyadic.workspace import Workspace

_MOST_RANKED = 100_000
_FACTS_OF_AN_ENTITY = 100


@dataclass(frozen=True, slots=True)
class Around:
    """What lies around something: facts with the identifiers of their entities; ``whole`` if nothing was left out."""

    entities: list[Entity]
    facts: list[tuple[Fact, tuple[str, ...]]]
    whole: bool


async def entities_like(kb: Workspace, words: str, limit: int) -> list[tuple[Entity, float | None]]:
    """Entities with such a name first, then those nearest in meaning; the best connected where nothing is said."""
    vector = await _embedded(kb, words) if words.strip() else None
    with kb.store().read() as reader:
        if vector is None:
            rows = _best_connected(reader, limit)
            return [(entity, None) for entity in reader.entities(rows)]
        called = reader.named([loose_name(words)]).values()
        exact = [*reader.keyed([entity_key(words)]).values(), *chain.from_iterable(called)]
        hits = reader.nearest("entity", vector, limit)
        near = dict(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))
        ranked = list(dict.fromkeys([*exact, *near]))[:limit]
        found = reader.entities(np.array(ranked, dtype=np.int64))
        return [(entity, None if row in exact else near[row]) for row, entity in zip(ranked, found, strict=True)]


async def facts_like(kb: Workspace, words: str, limit: int) -> list[tuple[Fact, float | None]]:
    """The facts nearest in meaning; the most complete ones where nothing is said."""
    vector = await _embedded(kb, words) if words.strip() else None
    with kb.store().read() as reader:
        if vector is None:
            rows = reader.identified("fact", "", _MOST_RANKED)
            best = rows[np.argsort(-reader.scores("fact", rows), kind="stable")[:limit]]
            return [(fact, None) for fact in reader.facts(best)]
        hits = reader.nearest("fact", vector, limit)
        return list(zip(reader.facts(hits.rows), hits.scores.tolist(), strict=True))


def facts_of(kb: Workspace, identifier: str, limit: int) -> tuple[Entity, list[Fact]]:
    """An entity by identifier and the most complete of its facts; Refused (404) where there is none."""
    with kb.store().read() as reader:
        row = row_of(reader, "entity", identifier)
        return reader.entities(np.array([row]))[0], reader.facts(facts_of_all(reader, [row], limit))


def fact_with_places(kb: Workspace, identifier: str) -> FactView:
    """A fact by identifier with what it connects and where it stands; Refused (404) where there is none."""
    with kb.store().read() as reader:
        rows = np.array([row_of(reader, "fact", identifier)])
        entities = reader.entities(reader.entities_of(rows).targets)
        return FactView(reader.facts(rows)[0], tuple(entities), reader.fact_places(rows)[0])


def row_of(reader: Reader, side: Side, identifier: str) -> int:
    """The row with exactly this identifier; Refused (404) where there is none."""
    rows = reader.identified(side, identifier, 1)
    if not len(rows):
        raise not_found(side)
    return int(rows[0])


def around(kb: Workspace, side: Side, identifier: str, hops: int, limit: int) -> Around:
    """What can be reached from an entity or a fact in so many steps, with at most so many entities.

    A fact is there with all that it connects, or not at all; the most complete facts come first.
    """
    with kb.store().read() as reader:
        start = np.array([row_of(reader, side, identifier)], dtype=np.int64)
        grown = _Growing(reader, limit)
        grown.frontier = start
        if side == "fact":
            grown.take(start)
        else:
            grown.entities.update(dict.fromkeys(start.tolist()))
        for _ in range(hops):
            grown.step()
        return grown.result()


class _Growing:
    """A neighbourhood while it grows; ``frontier`` are the entities from which the next step goes on."""

    def __init__(self, reader: Reader, limit: int) -> None:
        self.entities: dict[int, None] = {}
        self.frontier: Rows = np.zeros(0, dtype=np.int64)
        self._reader = reader
        self._limit = limit
        self._facts: dict[int, list[int]] = {}
        self._whole = True

    def step(self) -> None:
        """Take the facts of the frontier that are not there yet."""
        if not len(self.frontier):
            return
        degrees = self._reader.degrees("entity", self.frontier)
        self._whole &= bool((degrees <= _FACTS_OF_AN_ENTITY).all())
        toward: Vectors = self._reader.directions(self.frontier[:1])[0]
        links = self._reader.facts_of(self.frontier, _FACTS_OF_AN_ENTITY, toward)
        new = np.setdiff1d(links.targets, np.array(list(self._facts), dtype=np.int64))
        self.take(new[np.argsort(-self._reader.scores("fact", new), kind="stable")])

    def take(self, facts: Rows) -> None:
        """Take facts with their entities, as long as there is room; those that are new are the next frontier."""
        joined: dict[int, list[int]] = {fact: [] for fact in facts.tolist()}
        links = self._reader.entities_of(facts)
        for fact, entity in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
            joined[fact].append(entity)
        frontier: dict[int, None] = {}
        for fact, entities in joined.items():
            new = [entity for entity in entities if entity not in self.entities]
            if len(self.entities) + len(new) > self._limit:
                self._whole = False
                continue
            self._facts[fact] = entities
            self.entities.update(dict.fromkeys(new))
            frontier.update(dict.fromkeys(new))
        self.frontier = np.array(list(frontier), dtype=np.int64)

    def result(self) -> Around:
        """All of it, by public identifiers."""
        rows = list(self.entities)
        entities = self._reader.entities(np.array(rows, dtype=np.int64))
        ids = dict(zip(rows, (entity.id for entity in entities), strict=True))
        facts = self._reader.facts(np.array(list(self._facts), dtype=np.int64))
        joined = [tuple(ids[row] for row in members) for members in self._facts.values()]
        return Around(entities, list(zip(facts, joined, strict=True)), self._whole)


def _best_connected(reader: Reader, limit: int) -> Rows:
    rows = reader.identified("entity", "", _MOST_RANKED)
    return rows[np.argsort(-reader.degrees("entity", rows), kind="stable")[:limit]]


async def _embedded(kb: Workspace, words: str) -> Vectors:
    vector: Vectors = (await kb.embedder.embed([words]))[0]
    await Bill(StoreMemory(kb.store())).enter_embedding(kb.embedder)
    return vector
