"""Sample facts of a workspace for question generation, reproducibly by seed.

Source: HyperGraphRAG (arXiv 2503.21322). Version 3 samples facts that are one, two or three hops apart, separately for
binary and n-ary facts. Version 1 samples facts at random, around one entity, or around several.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Literal

from polyadic.evaluation.question_generation.fact_pairs import FactPairs
from polyadic.model.identity import digest
from polyadic.model.types import Fact, SourceSpan
from polyadic.storage.protocol import Reader

Arity = Literal["binary", "n-ary"]


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
    fact_pairs = FactPairs(reader, stratum.arity == "binary")
    drawn = islice(_drawn(fact_pairs, sampling, stratum, seed), stratum.wanted)
    return [_sample(reader, facts, joints) for facts, joints in drawn]


def _drawn(
    fact_pairs: FactPairs, sampling: FactSampling, stratum: SamplingStratum, seed: int
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
    rows, entities = FactPairs.rows(facts), FactPairs.rows(joints)
    names = tuple(entity.name for entity in reader.entities(entities)) if joints else ()
    places = tuple(spans[0] for spans in reader.fact_places(rows))
    return FactSample(tuple(reader.facts(rows)), names, places)
