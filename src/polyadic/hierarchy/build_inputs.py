"""Entities, facts and vectors of the store, as input of a hierarchy build.

Values (dates, amounts, numbers) are left out: they would form clusters of their own, and communities would grow around
facts that have only a year in common. Facts keep them in their texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.model.hierarchy import Summary
from polyadic.model.types import Entity, Fact
from polyadic.model.value_entities import is_value
from polyadic.storage.incidence import grouped, neighbours, positions_of
from polyadic.storage.protocol import Links, Reader, Rows, Vectors

FACTS_TOLD = 5
"""Maximum number of facts given for a member."""


@dataclass(frozen=True)
class HierarchyInputs:
    """All facts of the store, and its entities other than values, in the order of their identifiers.

    ``directions`` are the unit vectors of the entities, shape (entities, d). ``links`` lead from facts to entities.
    """

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    directions: Vectors
    links: Links

    @classmethod
    def of(cls, reader: Reader) -> Self:
        every, facts = reader.rows("entity"), reader.rows("fact")
        entities = reader.entities(every)
        named = np.array([not is_value(entity.name, entity.type) for entity in entities], dtype=bool)
        rows, links = every[named], reader.links("fact_entities", facts)
        kept = np.isin(links.targets, rows)
        return cls(
            tuple(entity for entity, is_named in zip(entities, named.tolist(), strict=True) if is_named),
            tuple(reader.facts(facts)),
            reader.directions("entity", rows),
            Links(positions_of(facts, links.sources[kept]), positions_of(rows, links.targets[kept])),
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
        """Number of facts of each entity, at least 1."""
        return np.maximum(np.bincount(self.links.targets, minlength=len(self.entities)), 1).astype(np.float64)

    @cached_property
    def scores(self) -> Vectors:
        return np.array([fact.score for fact in self.facts], dtype=np.float32)

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """Importance of each fact: its score times the mean log2(1 + degree) of its entities."""
        known = np.bincount(self.links.sources, np.log2(1 + self.degrees)[self.links.targets], len(self.facts))
        sizes = np.maximum(np.bincount(self.links.sources, minlength=len(self.facts)), 1)
        return np.asarray(self.scores * known / sizes, dtype=np.float64)

    def fact_context(self, row: int) -> FactContext:
        fact = self.facts[row]
        starts, entities = self._by_fact
        participants = entities[starts[row] : starts[row + 1]].tolist()
        return FactContext(fact.id, fact.text, fact.tokens, tuple(self.entities[entity].id for entity in participants))

    def member_contexts(self, members: Sequence[str], summaries: Mapping[str, Summary]) -> list[MemberContext]:
        """Describe members for a summarizer, each with its facts; facts that connect most of the members come first.

        Parameters
        ----------
        members
            Identifiers of entities or summaries.
        summaries
            Summaries of all layers, by identifier.
        """
        facts = self._best_facts([self.below(member, summaries) for member in members])
        shown = []
        for member, rows in zip(members, facts, strict=True):
            one = summaries.get(member) or self.entities[self.rows[member]]
            shown.append(
                MemberContext(member, one.name, one.type, one.description, tuple(map(self.fact_context, rows)))
            )
        return shown

    def below(self, member: str, summaries: Mapping[str, Summary]) -> Rows:
        """Return the sorted rows of the entities below a summary; for an entity, its own row."""
        layer, entities = {member}, set[int]()
        while layer:
            entities.update(self.rows[one] for one in layer if one in self.rows)
            layer = {covered for one in layer if one in summaries for covered in summaries[one].members}
        return np.array(sorted(entities), dtype=np.int64)

    def _best_facts(self, below: Sequence[Rows]) -> list[list[int]]:
        """Best fact rows for each of several sets of entities."""
        owners = np.repeat(np.arange(len(below)), [len(rows) for rows in below])
        leaves = np.concatenate([*below, np.zeros(0, dtype=np.int64)])
        facts, places = neighbours(*self._by_entity, leaves)
        pairs = np.unique(np.stack([owners[places], facts], axis=1), axis=0)
        about, times = np.unique(pairs[:, 1], return_counts=True)
        coverage = times[np.searchsorted(about, pairs[:, 1])]
        order = np.lexsort((pairs[:, 1], -self.scores[pairs[:, 1]], -coverage, pairs[:, 0]))
        best: list[list[int]] = [[] for _ in below]
        for owner, fact in pairs[order].tolist():
            if len(best[owner]) < FACTS_TOLD:
                best[owner].append(fact)
        return best

    @cached_property
    def _by_entity(self) -> tuple[Rows, Rows]:
        """Facts by entity, as start offsets and rows."""
        starts, order = grouped(self.links.targets, len(self.entities))
        return starts, self.links.sources[order]

    @cached_property
    def _by_fact(self) -> tuple[Rows, Rows]:
        starts, order = grouped(self.links.sources, len(self.facts))
        return starts, self.links.targets[order]
