"""Search and exploration of the hypergraph: entities and facts by name or meaning, and their neighbourhoods."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from polyadic.model.identity import entity_key, loose_name
from polyadic.model.types import Entity, Fact
from polyadic.query.entity_paths import shortest_path
from polyadic.query.fact_search import search_facts, vector_of
from polyadic.query.lookup import FactView, facts_of_all, row_of_key
from polyadic.server.problem_details import not_found
from polyadic.storage.protocol import NodeType, Reader, Rows, Vectors
from polyadic.workspace import Workspace

_MOST_RANKED = 100_000
_MAX_FACTS_PER_ENTITY = 100
_BLOCKS = 12


@dataclass(frozen=True, slots=True)
class NeighbourhoodResult:
    """Entities and facts, each with the identifiers of its entities; ``complete`` if no limit cut it off."""

    entities: list[Entity]
    facts: list[tuple[Fact, tuple[str, ...]]]
    complete: bool


async def entities_like(kb: Workspace, words: str, limit: int) -> list[tuple[Entity, float | None]]:
    """Search entities: exact names first, then by meaning; without words, the best connected entities."""
    vector = await vector_of(words, kb.store(), kb.embedder)
    with kb.store().read() as reader:
        if vector is None:
            rows = _best_connected(reader, limit)
            return [(entity, None) for entity in reader.entities(rows)]
        named = reader.named([loose_name(words)]).values()
        same = row_of_key(reader, entity_key(words))
        exact = [*([] if same is None else [same]), *chain.from_iterable(named)]
        hits = reader.nearest("entity", vector, limit)
        near = dict(zip(hits.rows.tolist(), hits.scores.tolist(), strict=True))
        ranked = list(dict.fromkeys([*exact, *near]))[:limit]
        entities = reader.entities(np.array(ranked, dtype=np.int64))
        return [(entity, None if row in exact else near[row]) for row, entity in zip(ranked, entities, strict=True)]


async def facts_like(kb: Workspace, words: str, limit: int) -> list[tuple[Fact, float | None]]:
    """Search facts by meaning; without words, the most complete facts."""
    vector = await vector_of(words, kb.store(), kb.embedder)
    with kb.store().read() as reader:
        hits = search_facts(reader, vector, (), limit)
        similarities = [None if vector is None else score for score in hits.scores.tolist()]
        return list(zip(reader.facts(hits.rows), similarities, strict=True))


def facts_of(kb: Workspace, identifier: str, limit: int) -> tuple[Entity, list[Fact]]:
    """Return an entity by identifier and its most complete facts.

    Raises
    ------
    ProblemError
        There is no such entity (404).
    """
    with kb.store().read() as reader:
        row = row_of(reader, "entity", identifier)
        return reader.entities(np.array([row]))[0], reader.facts(facts_of_all(reader, [row], limit))


def fact_with_places(kb: Workspace, identifier: str) -> FactView:
    """Return a fact by identifier with the entities it connects, the places where it is stated, and its details.

    Raises
    ------
    ProblemError
        There is no such fact (404).
    """
    with kb.store().read() as reader:
        return FactView.of(reader, row_of(reader, "fact", identifier))


def row_of(reader: Reader, node_type: NodeType, identifier: str) -> int:
    """Return the row of an identifier.

    Raises
    ------
    ProblemError
        There is none (404).
    """
    rows = reader.rows(node_type, identifier, 1)
    if not len(rows):
        raise not_found(node_type)
    return int(rows[0])


def around(
    kb: Workspace, node_type: NodeType, identifiers: Sequence[str], hops: int, limit: int
) -> NeighbourhoodResult:
    """Return the neighbourhood of entities or facts, up to a number of hops and of entities.

    A fact is included with all its entities or not at all; the most complete facts come first.
    """
    with kb.store().read() as reader:
        rows = dict.fromkeys(row_of(reader, node_type, identifier) for identifier in identifiers)
        start = np.array(list(rows), dtype=np.int64)
        neighbourhood = _NeighbourhoodBuilder(reader, limit)
        neighbourhood.frontier = start
        if node_type == "fact":
            neighbourhood.take(start)
        else:
            neighbourhood.entities.update(dict.fromkeys(start.tolist()))
        for _ in range(hops):
            neighbourhood.step()
        return neighbourhood.result()


def overview(kb: Workspace, limit: int) -> NeighbourhoodResult:
    """Return the best connected entities and facts around them; everything, if it fits the limit.

    Facts between entities already included come first, so that related entities are shown together.
    """
    with kb.store().read() as reader:
        ranked = _best_connected(reader, limit)
        neighbourhood = _NeighbourhoodBuilder(reader, limit, dense=True)
        # In blocks: the neighbourhood of the best connected entities is filled before that of the next ones.
        for block in np.array_split(ranked, min(_BLOCKS, max(1, len(ranked)))):
            neighbourhood.begin(block)
            neighbourhood.step()
        return replace(neighbourhood.result(), complete=neighbourhood.holds_all)


def path_between(kb: Workspace, start: str, goal: str) -> tuple[list[str], NeighbourhoodResult]:
    """Return the entities of a shortest path in order, and its facts with all their entities; empty if there is none.

    Raises
    ------
    ProblemError
        There is no such entity (404).
    """
    with kb.store().read() as reader:
        ends = row_of(reader, "entity", start), row_of(reader, "entity", goal)
        path = shortest_path(reader, *ends)
        neighbourhood = _NeighbourhoodBuilder(reader, limit=_MOST_RANKED)
        if path is None:
            return [], neighbourhood.result()
        neighbourhood.entities.update(dict.fromkeys(path.entities))
        neighbourhood.take(np.array(path.facts, dtype=np.int64))
        result = neighbourhood.result()
        return [entity.id for entity in result.entities[: len(path.entities)]], result


class _NeighbourhoodBuilder:
    """Builds a neighbourhood step by step; ``frontier`` holds the entities that the next step expands.

    The most complete facts come first; if ``dense``, those that add the fewest entities.
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
        """Whether the whole store is included."""
        sizes = self._reader.size("entity"), self._reader.size("fact")
        return sizes == (len(self.entities), len(self._facts))

    def begin(self, entities: Rows) -> None:
        """Set the frontier to these entities; new ones are added while there is room."""
        new = [entity for entity in entities.tolist() if entity not in self.entities]
        self.entities.update(dict.fromkeys(new[: self._limit - len(self.entities)]))
        self.frontier = np.array([entity for entity in entities.tolist() if entity in self.entities], dtype=np.int64)

    def step(self) -> None:
        """Add the new facts of the frontier."""
        if not len(self.frontier):
            return
        degrees = self._reader.degrees("entity_facts", self.frontier)
        self._whole &= bool((degrees <= _MAX_FACTS_PER_ENTITY).all())
        toward: Vectors = self._reader.directions("entity", self.frontier[:1])[0]
        links = self._reader.facts_of(self.frontier, _MAX_FACTS_PER_ENTITY, toward)
        new = np.setdiff1d(links.targets, np.array(list(self._facts), dtype=np.int64))
        best = new[np.argsort(-self._reader.scores("fact", new), kind="stable")]
        self.take(best[np.argsort(self._new_entity_counts(best), kind="stable")] if self._dense else best)

    def _new_entity_counts(self, facts: Rows) -> Rows:
        """Count the entities that each fact would add."""
        links = self._reader.links("fact_entities", facts)
        new = ~np.isin(links.targets, np.array(list(self.entities), dtype=np.int64))
        order = np.argsort(facts)
        counts = np.bincount(order[np.searchsorted(facts[order], links.sources[new])], minlength=len(facts))
        return counts.astype(np.int64)

    def take(self, facts: Rows) -> None:
        """Add facts with their entities while there is room; the new entities are the next frontier."""
        joined: dict[int, list[int]] = {fact: [] for fact in facts.tolist()}
        links = self._reader.links("fact_entities", facts)
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
        """Return the neighbourhood with public identifiers."""
        rows = list(self.entities)
        entities = self._reader.entities(np.array(rows, dtype=np.int64))
        ids = dict(zip(rows, (entity.id for entity in entities), strict=True))
        facts = self._reader.facts(np.array(list(self._facts), dtype=np.int64))
        joined = [tuple(ids[row] for row in members) for members in self._facts.values()]
        return NeighbourhoodResult(entities, list(zip(facts, joined, strict=True)), self._whole)


def _best_connected(reader: Reader, limit: int) -> Rows:
    rows = reader.rows("entity", "", _MOST_RANKED)
    return rows[np.argsort(-reader.degrees("entity_facts", rows), kind="stable")[:limit]]
