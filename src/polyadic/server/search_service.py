"""Looking things up in the hypergraph: entities and facts by name or meaning, and what lies around one of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from polyadic.model.identity import entity_key, loose_name
from polyadic.model.types import Entity, Fact
from polyadic.query.fact_search import search_facts, vector_of
from polyadic.query.lookup import FactView, facts_of_all
from polyadic.server.problem_details import not_found
from polyadic.storage.protocol import Reader, Rows, Side, Vectors
from polyadic.workspace import Workspace

_MOST_RANKED = 100_000
_FACTS_OF_AN_ENTITY = 100
_BEGINNINGS = 12


@dataclass(frozen=True, slots=True)
class NeighbourhoodResult:
    """What lies around something: facts with the identifiers of their entities; ``whole`` if nothing was left out."""

    entities: list[Entity]
    facts: list[tuple[Fact, tuple[str, ...]]]
    whole: bool


async def entities_like(kb: Workspace, words: str, limit: int) -> list[tuple[Entity, float | None]]:
    """Entities with such a name first, then those nearest in meaning; the best connected where nothing is said."""
    vector = await vector_of(words, kb.store(), kb.embedder)
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
    vector = await vector_of(words, kb.store(), kb.embedder)
    with kb.store().read() as reader:
        hits = search_facts(reader, vector, (), limit)
        similarities = [None if vector is None else score for score in hits.scores.tolist()]
        return list(zip(reader.facts(hits.rows), similarities, strict=True))


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


def around(kb: Workspace, side: Side, identifiers: Sequence[str], hops: int, limit: int) -> NeighbourhoodResult:
    """What can be reached from some entities or facts in so many steps, with at most so many entities.

    A fact is there with all that it connects, or not at all; the most complete facts come first.
    """
    with kb.store().read() as reader:
        rows = dict.fromkeys(row_of(reader, side, identifier) for identifier in identifiers)
        start = np.array(list(rows), dtype=np.int64)
        grown = _Growing(reader, limit)
        grown.frontier = start
        if side == "fact":
            grown.take(start)
        else:
            grown.entities.update(dict.fromkeys(start.tolist()))
        for _ in range(hops):
            grown.step()
        return grown.result()


def overview(kb: Workspace, limit: int) -> NeighbourhoodResult:
    """The best connected entities and facts around them, at most so many entities; all there is, if it is not more.

    Facts come first that join what is there already, so that what belongs together is seen together.
    """
    with kb.store().read() as reader:
        ranked = _best_connected(reader, limit)
        grown = _Growing(reader, limit, dense=True)
        # A few at a time: what lies around the best connected goes before others that have as many facts.
        for block in np.array_split(ranked, min(_BEGINNINGS, max(1, len(ranked)))):
            grown.begin(block)
            grown.step()
        return replace(grown.result(), whole=grown.holds_all)


class _Growing:
    """A neighbourhood while it grows; ``frontier`` are the entities from which the next step goes on.

    The most complete facts come first; where it is to be ``dense``, those that bring the fewest entities.
    """

    def __init__(self, reader: Reader, limit: int, dense: bool = False) -> None:
        self.entities: dict[int, None] = {}
        self.frontier: Rows = np.zeros(0, dtype=np.int64)
        self._reader = reader
        self._limit = limit
        self._dense = dense
        self._facts: dict[int, list[int]] = {}
        self._whole = True

    @property
    def holds_all(self) -> bool:
        """Whether there is nothing in the store that is not here."""
        sizes = self._reader.size("entity"), self._reader.size("fact")
        return sizes == (len(self.entities), len(self._facts))

    def begin(self, entities: Rows) -> None:
        """Go on from these; those that are not there yet come in as long as there is room."""
        new = [entity for entity in entities.tolist() if entity not in self.entities]
        self.entities.update(dict.fromkeys(new[: self._limit - len(self.entities)]))
        self.frontier = np.array([entity for entity in entities.tolist() if entity in self.entities], dtype=np.int64)

    def step(self) -> None:
        """Take the facts of the frontier that are not there yet."""
        if not len(self.frontier):
            return
        degrees = self._reader.degrees("entity", self.frontier)
        self._whole &= bool((degrees <= _FACTS_OF_AN_ENTITY).all())
        toward: Vectors = self._reader.directions(self.frontier[:1])[0]
        links = self._reader.facts_of(self.frontier, _FACTS_OF_AN_ENTITY, toward)
        new = np.setdiff1d(links.targets, np.array(list(self._facts), dtype=np.int64))
        best = new[np.argsort(-self._reader.scores("fact", new), kind="stable")]
        self.take(best[np.argsort(self._brought(best), kind="stable")] if self._dense else best)

    def _brought(self, facts: Rows) -> Rows:
        """How many entities each fact would bring that are not there."""
        links = self._reader.entities_of(facts)
        new = ~np.isin(links.targets, np.array(list(self.entities), dtype=np.int64))
        order = np.argsort(facts)
        counts = np.bincount(order[np.searchsorted(facts[order], links.sources[new])], minlength=len(facts))
        return counts.astype(np.int64)

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

    def result(self) -> NeighbourhoodResult:
        """All of it, by public identifiers."""
        rows = list(self.entities)
        entities = self._reader.entities(np.array(rows, dtype=np.int64))
        ids = dict(zip(rows, (entity.id for entity in entities), strict=True))
        facts = self._reader.facts(np.array(list(self._facts), dtype=np.int64))
        joined = [tuple(ids[row] for row in members) for members in self._facts.values()]
        return NeighbourhoodResult(entities, list(zip(facts, joined, strict=True)), self._whole)


def _best_connected(reader: Reader, limit: int) -> Rows:
    rows = reader.identified("entity", "", _MOST_RANKED)
    return rows[np.argsort(-reader.degrees("entity", rows), kind="stable")[:limit]]
