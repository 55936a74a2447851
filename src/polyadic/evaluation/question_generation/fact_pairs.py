"""Which facts share an entity, and facts found from one another by that."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator, default_rng

from polyadic.resolution.names import ParsedName
from polyadic.storage.protocol import Reader, Rows

MOST_FACTS = 30
"""An entity that takes part in more facts is a hub: what it joins has nothing to do with one another."""

Found = tuple[tuple[int, ...], tuple[int, ...]]
"""Rows of facts, and of the entities that join them."""


class FactPairs:
    """The facts of one arity and the entities that can join them: neither hubs nor numbers nor dates.

    Parameters
    ----------
    reader
        Rows follow public identifiers, so the same facts and the same seed draw the same, whatever the history.
    binary
        Facts of two entities; otherwise those of three or more.
    """

    def __init__(self, reader: Reader, binary: bool) -> None:
        self._reader = reader
        rows = reader.identified("fact", "", reader.size("fact"))
        arities = reader.degrees("fact", rows)
        self._rows = rows[arities == 2 if binary else arities > 2]
        links = reader.entities_of(self._rows)
        self._entities_of = _Lists(links.sources, links.targets)
        self._facts_of = _Lists(links.targets, links.sources)
        self._joined: dict[int, int] = {}

    @staticmethod
    def rows(several: Sequence[int]) -> Rows:
        return np.array(several, dtype=np.int64)

    @staticmethod
    def lots(seed: int, hops: int) -> Generator:
        """What is drawn with; of its own for each number of hops."""
        return default_rng([abs(seed), seed < 0, hops])

    def facts(self, lots: Generator) -> list[int]:
        """All facts, in the order in which they are drawn."""
        return _shuffled(self._rows, lots)

    def chain(self, first: int, hops: int, lots: Generator) -> Found | None:
        """So many facts from this one on, each sharing an entity with the next and none with any other."""
        return self._chain((first,), (), hops, lots)

    def around_one(self, first: int, hops: int, lots: Generator) -> Found | None:
        """So many facts that share one of the entities of this one."""
        for entity in self._joints(first, lots):
            further = [fact for fact in self._others(entity, lots) if fact != first]
            if len(further) >= hops - 1:
                return (first, *further[: hops - 1]), (entity,)
        return None

    def around_several(self, first: int, hops: int, lots: Generator) -> Found | None:
        """This fact, and for as many of its entities as are needed another fact with that one alone of them."""
        facts, joints, own = [first], list[int](), set(self._entities_of[first].tolist())
        for entity in self._joints(first, lots):
            if len(facts) == hops:
                break
            for fact in self._others(entity, lots):
                if fact not in facts and own & set(self._entities_of[fact].tolist()) == {entity}:
                    facts.append(fact)
                    joints.append(entity)
                    break
        return (tuple(facts), tuple(joints)) if len(facts) == hops else None

    def _chain(self, facts: tuple[int, ...], joints: tuple[int, ...], hops: int, lots: Generator) -> Found | None:
        if len(facts) == hops:
            return facts, joints
        last, before = facts[-1], {entity for fact in facts for entity in self._entities_of[fact].tolist()}
        # What joins two facts already would join the next one to both.
        for entity in (one for one in self._joints(last, lots) if one not in joints):
            for fact in self._others(entity, lots):
                # What shares more than that is no further away, or says the same once more.
                if before & set(self._entities_of[fact].tolist()) == {entity}:
                    found = self._chain((*facts, fact), (*joints, entity), hops, lots)
                    if found:
                        return found
        return None

    def _others(self, entity: int, lots: Generator) -> list[int]:
        return _shuffled(self._facts_of[entity], lots)

    def _joints(self, fact: int, lots: Generator) -> list[int]:
        """The entities by which a fact can be joined to others; the fewer facts one is in, the more it says of them."""
        several = [entity for entity in _shuffled(self._entities_of[fact], lots) if self._facts_joined(entity)]
        return sorted(several, key=self._facts_joined)

    def _facts_joined(self, entity: int) -> int:
        """How many facts an entity can join; 0 where it joins none."""
        if entity not in self._joined:
            self._joined[entity] = self._counted(entity)
        return self._joined[entity]

    def _counted(self, entity: int) -> int:
        row = self.rows([entity])
        degree = int(self._reader.degrees("entity", row)[0])
        if len(self._facts_of[entity]) < 2 or degree > MOST_FACTS:
            return 0
        (named,) = self._reader.entities(row)
        return 0 if ParsedName.of(named.name).is_time_or_number else degree


class _Lists:
    """For each row the rows that it is paired with."""

    def __init__(self, keys: Rows, values: Rows) -> None:
        order = np.lexsort((values, keys))
        self._keys, self._values = keys[order], values[order]

    def __getitem__(self, key: int) -> Rows:
        start, stop = np.searchsorted(self._keys, (key, key + 1))
        return self._values[start:stop]


def _shuffled(rows: Rows, lots: Generator) -> list[int]:
    shuffled: list[int] = lots.permutation(rows).tolist()
    return shuffled
