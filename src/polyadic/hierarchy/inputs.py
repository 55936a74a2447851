"""Entities and facts of one state, as the building of a hierarchy sees them: what everything rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.hierarchy import Summary
from polyadic.model.types import Entity, Fact
from polyadic.storage.incidence import grouped, neighbours
from polyadic.storage.protocol import Links, Reader, Rows, Vectors

FACTS_TOLD = 5
"""Facts that a member is told with."""


@dataclass(frozen=True)
class HierarchyInputs:
    """All entities and facts, by place, in the order of their identifiers.

    ``directions`` are where the entities' vectors point, shape (entities, d); ``links`` join facts to their entities.
    """

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    directions: Vectors
    links: Links

    @classmethod
    def of(cls, reader: Reader) -> Self:
        rows, facts = reader.all_rows("entity"), reader.all_rows("fact")
        links = reader.entities_of(facts)
        return cls(
            tuple(reader.entities(rows)),
            tuple(reader.facts(facts)),
            reader.directions(rows),
            Links(_places(facts, links.sources), _places(rows, links.targets)),
        )

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """Entity rows by identifier."""
        return {entity.id: row for row, entity in enumerate(self.entities)}

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(entity.id for entity in self.entities)

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """In how many facts each entity takes part, 1 where in none."""
        return np.maximum(np.bincount(self.links.targets, minlength=len(self.entities)), 1).astype(np.float64)

    @cached_property
    def scores(self) -> Vectors:
        return np.array([fact.score for fact in self.facts], dtype=np.float32)

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """How much each fact matters: its score, and in how many facts what it connects takes part."""
        known = np.bincount(self.links.sources, np.log2(1 + self.degrees)[self.links.targets], len(self.facts))
        sizes = np.maximum(np.bincount(self.links.sources, minlength=len(self.facts)), 1)
        return np.asarray(self.scores * known / sizes, dtype=np.float64)

    def told_fact(self, row: int) -> FactContext:
        fact = self.facts[row]
        starts, entities = self._by_fact
        took_part = entities[starts[row] : starts[row + 1]].tolist()
        return FactContext(fact.id, fact.text, fact.tokens, tuple(self.entities[entity].id for entity in took_part))

    def told(self, members: Sequence[str], summaries: Mapping[str, Summary]) -> list[MemberContext]:
        """Members as a writer gets them: each with facts about it, those first that speak of most of the members.

        Parameters
        ----------
        members
            Identifiers of entities or summaries.
        summaries
            By identifier, those of all layers.
        """
        facts = self._facts_told([self.below(member, summaries) for member in members])
        told = []
        for member, rows in zip(members, facts, strict=True):
            one = summaries.get(member) or self.entities[self.rows[member]]
            told.append(MemberContext(member, one.name, one.type, one.description, tuple(map(self.told_fact, rows))))
        return told

    def below(self, member: str, summaries: Mapping[str, Summary]) -> Rows:
        """The entities that a summary rests on, through those it covers; of an entity, itself. Sorted."""
        layer, entities = {member}, set[int]()
        while layer:
            entities.update(self.rows[one] for one in layer if one in self.rows)
            layer = {covered for one in layer if one in summaries for covered in summaries[one].members}
        return np.array(sorted(entities), dtype=np.int64)

    def _facts_told(self, below: Sequence[Rows]) -> list[list[int]]:
        """Fact rows for each of several sets of entities, the best first."""
        owners = np.repeat(np.arange(len(below)), [len(rows) for rows in below])
        leaves = np.concatenate([*below, np.zeros(0, dtype=np.int64)])
        facts, places = neighbours(*self._by_entity, leaves)
        pairs = np.unique(np.stack([owners[places], facts], axis=1), axis=0)
        about, times = np.unique(pairs[:, 1], return_counts=True)
        speaks_of = times[np.searchsorted(about, pairs[:, 1])]
        order = np.lexsort((pairs[:, 1], -self.scores[pairs[:, 1]], -speaks_of, pairs[:, 0]))
        best: list[list[int]] = [[] for _ in below]
        for owner, fact in pairs[order].tolist():
            if len(best[owner]) < FACTS_TOLD:
                best[owner].append(fact)
        return best

    @cached_property
    def _by_entity(self) -> tuple[Rows, Rows]:
        """Where the facts of each entity start, and all of them."""
        starts, order = grouped(self.links.targets, len(self.entities))
        return starts, self.links.sources[order]

    @cached_property
    def _by_fact(self) -> tuple[Rows, Rows]:
        starts, order = grouped(self.links.sources, len(self.facts))
        return starts, self.links.targets[order]


def _places(rows: Rows, wanted: Rows) -> Rows:
    """Where each of the wanted rows stands among all, which are in any order."""
    order = np.argsort(rows)
    return np.asarray(order[np.searchsorted(rows, wanted, sorter=order)], dtype=np.int64)
