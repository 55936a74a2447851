"""Sample facts of a workspace, or groups that share entities, for question generation, reproducibly by seed.

Source: HyperGraphRAG (arXiv 2503.21322). Version 3 samples facts that are one, two or three hops apart, separately for
binary and n-ary facts. Version 1 samples facts at random, around one entity, or around several.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Literal

import numpy as np
from numpy.random import Generator, default_rng

from polyadic.model.identity import digest
from polyadic.model.types import Fact, SourceSpan
from polyadic.model.value_entities import is_value
from polyadic.storage.protocol import Reader, Rows

MOST_FACTS = 30
"""An entity with more facts is a hub; the facts that it joins are unrelated."""

Found = tuple[tuple[int, ...], tuple[int, ...]]
"""Rows of facts, and of the entities that join them."""

Arity = Literal["binary", "n-ary"]


class _FactPairs:
    """Facts of one arity and the entities that can join them, which excludes hubs, numbers and dates.

    Parameters
    ----------
    reader
        Rows are ordered by public identifier, so a draw depends on the facts and the seed, not on their history.
    binary
        Use facts with two entities; otherwise, those with three or more.
    """

    def __init__(self, reader: Reader, binary: bool) -> None:
        self._reader = reader
        rows = reader.rows("fact", "", reader.size("fact"))
        arities = reader.degrees("fact_entities", rows)
        self._rows = rows[arities == 2 if binary else arities > 2]
        links = reader.links("fact_entities", self._rows)
        self._entities_of = _AdjacencyLists(links.sources, links.targets)
        self._facts_of = _AdjacencyLists(links.targets, links.sources)
        self._degrees: dict[int, int] = {}

    @staticmethod
    def rows(several: Sequence[int]) -> Rows:
        return np.array(several, dtype=np.int64)

    @staticmethod
    def lots(seed: int, hops: int) -> Generator:
        """Create a random generator for a seed and a number of hops."""
        return default_rng([abs(seed), seed < 0, hops])

    def facts(self, lots: Generator) -> list[int]:
        """Return all facts in random order."""
        return _shuffled(self._rows, lots)

    def chain(self, first: int, hops: int, lots: Generator) -> Found | None:
        """Find a chain of ``hops`` facts from ``first`` on; each shares an entity only with its neighbours."""
        return self._chain((first,), (), hops, lots)

    def around_one(self, first: int, hops: int, lots: Generator) -> Found | None:
        """Find ``hops`` facts, including ``first``, that share one of its entities."""
        for entity in self._joints(first, lots):
            further = [fact for fact in self._others(entity, lots) if fact != first]
            if len(further) >= hops - 1:
                return (first, *further[: hops - 1]), (entity,)
        return None

    def around_several(self, first: int, hops: int, lots: Generator) -> Found | None:
        """Find ``hops - 1`` facts that each share exactly one entity with ``first``, each a different one."""
        facts, joints, first_entities = [first], list[int](), set(self._entities_of[first].tolist())
        for entity in self._joints(first, lots):
            if len(facts) == hops:
                break
            for fact in self._others(entity, lots):
                if fact not in facts and first_entities & set(self._entities_of[fact].tolist()) == {entity}:
                    facts.append(fact)
                    joints.append(entity)
                    break
        return (tuple(facts), tuple(joints)) if len(facts) == hops else None

    def _chain(self, facts: tuple[int, ...], joints: tuple[int, ...], hops: int, lots: Generator) -> Found | None:
        if len(facts) == hops:
            return facts, joints
        last, earlier_entities = facts[-1], {entity for fact in facts for entity in self._entities_of[fact].tolist()}
        # An entity that already joins two facts would join the next one to both.
        for entity in (joint for joint in self._joints(last, lots) if joint not in joints):
            for fact in self._others(entity, lots):
                # A fact that shares more entities would shorten the chain or repeat a fact.
                if earlier_entities & set(self._entities_of[fact].tolist()) == {entity}:
                    extended = self._chain((*facts, fact), (*joints, entity), hops, lots)
                    if extended:
                        return extended
        return None

    def _others(self, entity: int, lots: Generator) -> list[int]:
        return _shuffled(self._facts_of[entity], lots)

    def _joints(self, fact: int, lots: Generator) -> list[int]:
        """Return the entities that can join a fact to others, the most specific (with the fewest facts) first."""
        candidates = [entity for entity in _shuffled(self._entities_of[fact], lots) if self._facts_joined(entity)]
        return sorted(candidates, key=self._facts_joined)

    def _facts_joined(self, entity: int) -> int:
        """Return the degree of an entity that can join facts, else 0."""
        if entity not in self._degrees:
            self._degrees[entity] = self._joinable_degree(entity)
        return self._degrees[entity]

    def _joinable_degree(self, entity: int) -> int:
        row = self.rows([entity])
        degree = int(self._reader.degrees("entity_facts", row)[0])
        if len(self._facts_of[entity]) < 2 or degree > MOST_FACTS:
            return 0
        (entity_record,) = self._reader.entities(row)
        return 0 if is_value(entity_record.name, entity_record.type) else degree


class _AdjacencyLists:
    """Adjacency lists of rows."""

    def __init__(self, keys: Rows, values: Rows) -> None:
        order = np.lexsort((values, keys))
        self._keys, self._values = keys[order], values[order]

    def __getitem__(self, key: int) -> Rows:
        start, stop = np.searchsorted(self._keys, (key, key + 1))
        return self._values[start:stop]


def _shuffled(rows: Rows, lots: Generator) -> list[int]:
    shuffled: list[int] = lots.permutation(rows).tolist()
    return shuffled


class FactSampling(StrEnum):
    """How the facts of one question are related."""

    CHAIN = "chain"
    """Each fact shares an entity only with its neighbours; the question needs as many hops as there are facts."""
    RANDOM = "random"
    """Unrelated facts."""
    ONE_ENTITY = "one-entity"
    """All facts share one entity."""
    SEVERAL_ENTITIES = "several-entities"
    """One fact, and a further fact for each of several of its entities."""


@dataclass(frozen=True, slots=True)
class SamplingStratum:
    """Number of samples with ``hops`` facts each, binary or n-ary (three entities or more)."""

    arity: Arity
    hops: int
    wanted: int


@dataclass(frozen=True, slots=True)
class FactSample:
    """Facts for one question, the names of the entities that join them, and the first source span of each fact."""

    facts: tuple[Fact, ...]
    joints: tuple[str, ...]
    places: tuple[SourceSpan, ...]

    @property
    def id(self) -> str:
        """Digest of the facts, the same in every workspace.

        >>> ada = Fact("f1", "Ada met Charles.", 9.0, ("Ada", "Charles"), 1)
        >>> FactSample((ada,), (), ()).id == FactSample((ada,), ("Ada",), ()).id
        True
        """
        return digest("sample", *(fact.id for fact in self.facts))[:16]


def strata(count: int, arities: Sequence[Arity], hops: Sequence[int]) -> tuple[SamplingStratum, ...]:
    """Distribute a number of samples: equally over arities, and twice as many with one hop as with any other.

    >>> [(one.arity, one.hops, one.wanted) for one in strata(512, ("binary", "n-ary"), (1, 2, 3))][:3]
    [('binary', 1, 128), ('binary', 2, 64), ('binary', 3, 64)]
    >>> sum(one.wanted for one in strata(7, ("binary", "n-ary"), (1, 2, 3)))
    7
    """
    cells = [(arity, number, 2 if number == 1 else 1) for arity in arities for number in hops]
    total_weight, weight_before, result = sum(weight for _, _, weight in cells), 0, []
    for arity, number, weight in cells:
        # Running sums carry rounding errors over to the next stratum.
        result.append(
            SamplingStratum(
                arity, number, count * (weight_before + weight) // total_weight - count * weight_before // total_weight
            )
        )
        weight_before += weight
    return tuple(result)


def sampled(reader: Reader, sampling: FactSampling, stratum: SamplingStratum, seed: int) -> list[FactSample]:
    """Draw distinct samples of a stratum, as many as wanted or available; no two start with the same fact."""
    fact_pairs = _FactPairs(reader, stratum.arity == "binary")
    drawn = islice(_drawn(fact_pairs, sampling, stratum, seed), stratum.wanted)
    return [_sample(reader, facts, joints) for facts, joints in drawn]


def _drawn(
    fact_pairs: _FactPairs, sampling: FactSampling, stratum: SamplingStratum, seed: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield rows of facts and of the entities that join them."""
    random = fact_pairs.lots(seed, stratum.hops)
    if sampling is FactSampling.RANDOM:
        rows = fact_pairs.facts(random)
        for start in range(0, len(rows) - stratum.hops + 1, stratum.hops):
            yield tuple(rows[start : start + stratum.hops]), ()
        return
    find = {
        FactSampling.CHAIN: fact_pairs.chain,
        FactSampling.ONE_ENTITY: fact_pairs.around_one,
        FactSampling.SEVERAL_ENTITIES: fact_pairs.around_several,
    }[sampling]
    seen = set[frozenset[int]]()
    for first in fact_pairs.facts(random):
        group = find(first, stratum.hops, random)
        if group and frozenset(group[0]) not in seen:
            seen.add(frozenset(group[0]))
            yield group


def _sample(reader: Reader, facts: tuple[int, ...], joints: tuple[int, ...]) -> FactSample:
    rows, entities = _FactPairs.rows(facts), _FactPairs.rows(joints)
    names = tuple(entity.name for entity in reader.entities(entities)) if joints else ()
    places = tuple(spans[0] for spans in reader.fact_places(rows))
    return FactSample(tuple(reader.facts(rows)), names, places)
