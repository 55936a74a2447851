"""A shortest path between two entities: each step leads through a fact from one of its entities to another."""

from dataclasses import dataclass

import numpy as np

from polyadic.storage.protocol import Reader, Vectors

MOST_FACTS = 8
"""Maximum length of a path."""
_FACTS_PER_ENTITY = 200
_MOST_ENTITIES = 20_000


@dataclass(frozen=True, slots=True)
class EntityPath:
    """Rows of the entities of a path in order, and of the facts between them."""

    entities: tuple[int, ...]
    facts: tuple[int, ...]


def shortest_path(reader: Reader, start: int, goal: int) -> EntityPath | None:
    """Search from both ends, breadth first, always from the side with fewer entities to expand.

    Of an entity with more than 200 facts, those most similar to the other end are followed.

    Parameters
    ----------
    reader
        The store.
    start, goal
        Rows of entities.

    Returns
    -------
    EntityPath or None
        Among the shortest, the first by rows. None if there is none of at most 8 facts, or if 20,000 entities have been
        reached without finding one.
    """
    directions = reader.directions("entity", np.array([start, goal], dtype=np.int64))
    sides = _Side(reader, start, directions[1]), _Side(reader, goal, directions[0])
    for _ in range(MOST_FACTS + 1):
        if common := sides[0].reached_through.keys() & sides[1].reached_through.keys():
            return _joined(*(side.way_to(min(common)) for side in sides))
        side = min(sides, key=lambda one: len(one.frontier))
        if not side.frontier or sum(len(one.reached_through) for one in sides) > _MOST_ENTITIES:
            break
        side.step()
    return None


class _Side:
    """The search from one end; ``frontier`` holds the entities that the last step reached first.

    ``reached_through`` has, by entity, the entity before it and the fact between them; None at the end itself.
    """

    def __init__(self, reader: Reader, end: int, toward: Vectors) -> None:
        self._reader = reader
        self._toward = toward
        self._facts: set[int] = set()
        self.reached_through: dict[int, tuple[int, int] | None] = {end: None}
        self.frontier = [end]

    def step(self) -> None:
        """Follow all facts of the frontier that were not followed before."""
        frontier = np.array(sorted(self.frontier), dtype=np.int64)
        links = self._reader.facts_of(frontier, _FACTS_PER_ENTITY, self._toward)
        before: dict[int, int] = {}
        for entity, fact in sorted(zip(links.sources.tolist(), links.targets.tolist(), strict=True)):
            if fact not in self._facts:
                before.setdefault(fact, entity)
        self._facts.update(before)
        self.frontier = []
        links = self._reader.links("fact_entities", np.array(sorted(before), dtype=np.int64))
        for fact, entity in sorted(zip(links.sources.tolist(), links.targets.tolist(), strict=True)):
            if entity not in self.reached_through:
                self.reached_through[entity] = before[fact], fact
                self.frontier.append(entity)

    def way_to(self, entity: int) -> EntityPath:
        """Return the path from this end to an entity that was reached."""
        entities, facts = [entity], list[int]()
        while (step := self.reached_through[entities[-1]]) is not None:
            entities.append(step[0])
            facts.append(step[1])
        return EntityPath(tuple(entities[::-1]), tuple(facts[::-1]))


def _joined(first: EntityPath, second: EntityPath) -> EntityPath:
    """Join two paths that end at the same entity."""
    return EntityPath(first.entities + second.entities[-2::-1], first.facts + second.facts[::-1])
