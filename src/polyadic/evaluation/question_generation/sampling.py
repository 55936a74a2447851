"""What a question is to be made from: facts drawn from a workspace, the same ones whenever the seed is the same.

Source: HyperGraphRAG (arXiv 2503.21322). Version 3 of it: facts that are one, two or three hops apart, binary and n-ary
ones apart. Version 1: facts at random, around one entity, around several.
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
    """How the facts of one question belong together."""

    CHAIN = "chain"
    """Each shares an entity with the next, and with no other: a question needs as many hops as there are facts."""
    RANDOM = "random"
    """Not at all."""
    ONE_ENTITY = "one-entity"
    """All share one entity."""
    SEVERAL_ENTITIES = "several-entities"
    """One fact, and for each of several of its entities a further one."""


@dataclass(frozen=True, slots=True)
class SamplingStratum:
    """So many samples of one kind: of binary facts or of n-ary ones (three entities or more), so many a sample."""

    arity: Arity
    hops: int
    wanted: int


@dataclass(frozen=True, slots=True)
class FactSample:
    """Facts for one question, the names of the entities that join them, and where each fact stands first."""

    facts: tuple[Fact, ...]
    joints: tuple[str, ...]
    places: tuple[SourceSpan, ...]

    @property
    def id(self) -> str:
        """The same for the same facts, in whatever workspace.

        >>> ada = Fact("f1", "Ada met Charles.", 9.0, ("Ada", "Charles"), 1)
        >>> FactSample((ada,), (), ()).id == FactSample((ada,), ("Ada",), ()).id
        True
        """
        return digest("sample", *(fact.id for fact in self.facts))[:16]


def strata(count: int, arities: Sequence[Arity], hops: Sequence[int]) -> tuple[SamplingStratum, ...]:
    """How a number of samples is shared out: equally to the arities, and twice as many of one hop as of any other.

    >>> [(one.arity, one.hops, one.wanted) for one in strata(512, ("binary", "n-ary"), (1, 2, 3))][:3]
    [('binary', 1, 128), ('binary', 2, 64), ('binary', 3, 64)]
    >>> sum(one.wanted for one in strata(7, ("binary", "n-ary"), (1, 2, 3)))
    7
    """
    cells = [(arity, number, 2 if number == 1 else 1) for arity in arities for number in hops]
    whole, before, found = sum(weight for _, _, weight in cells), 0, []
    for arity, number, weight in cells:
        # By running sums, so that what is rounded off one is given to the next.
        found.append(SamplingStratum(arity, number, count * (before + weight) // whole - count * before // whole))
        before += weight
    return tuple(found)


def sampled(reader: Reader, sampling: FactSampling, stratum: SamplingStratum, seed: int) -> list[FactSample]:
    """As many different samples of a stratum as are wanted, or as there are; no fact begins two of them."""
    joining = FactPairs(reader, stratum.arity == "binary")
    drawn = islice(_drawn(joining, sampling, stratum, seed), stratum.wanted)
    return [_sample(reader, facts, joints) for facts, joints in drawn]


def _drawn(
    joining: FactPairs, sampling: FactSampling, stratum: SamplingStratum, seed: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Rows of facts and of the entities that join them."""
    lots = joining.lots(seed, stratum.hops)
    if sampling is FactSampling.RANDOM:
        rows = joining.facts(lots)
        for at in range(0, len(rows) - stratum.hops + 1, stratum.hops):
            yield tuple(rows[at : at + stratum.hops]), ()
        return
    find = {
        FactSampling.CHAIN: joining.chain,
        FactSampling.ONE_ENTITY: joining.around_one,
        FactSampling.SEVERAL_ENTITIES: joining.around_several,
    }[sampling]
    seen = set[frozenset[int]]()
    for first in joining.facts(lots):
        found = find(first, stratum.hops, lots)
        if found and frozenset(found[0]) not in seen:
            seen.add(frozenset(found[0]))
            yield found


def _sample(reader: Reader, facts: tuple[int, ...], joints: tuple[int, ...]) -> FactSample:
    rows, entities = FactPairs.rows(facts), FactPairs.rows(joints)
    names = tuple(entity.name for entity in reader.entities(entities)) if joints else ()
    places = tuple(several[0] for several in reader.fact_places(rows))
    return FactSample(tuple(reader.facts(rows)), names, places)
