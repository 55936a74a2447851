"""A hierarchy reader over lists, built from a hierarchy: small, exact and slow."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from polyadic.model.aggregation import form
from polyadic.model.hierarchy import Community, Hierarchy, Summary
from polyadic.storage.hierarchy import HierarchyMembers
from polyadic.storage.protocol import Hits, Links, Rows, Vectors


class MemoryHierarchyReader:
    """Searches what is not stale of a hierarchy.

    ``entity_rows`` and ``fact_rows`` are the reader's rows by public identifier; ``embed`` gives the vectors of texts.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        entity_rows: Mapping[str, int],
        fact_rows: Mapping[str, int],
        embed: Callable[[Sequence[str]], Vectors],
    ) -> None:
        self._summaries = sorted(
            (s for c in hierarchy.clusters if not c.stale for s in c.summaries), key=lambda s: s.id
        )
        self._communities = sorted((c for c in hierarchy.communities if c.report and not c.stale), key=lambda c: c.id)
        self._entity_row = entity_rows
        self._fact_row = fact_rows
        self._summary_row = {summary.id: row for row, summary in enumerate(self._summaries)}
        self._embed = embed

    @property
    def summary_count(self) -> int:
        return len(self._summaries)

    @property
    def community_count(self) -> int:
        return len(self._communities)

    def nearest(self, vector: Vectors, k: int) -> Hits:
        scores = self.similarity(np.arange(self.summary_count), vector[None, :])[0]
        rows = np.argsort(-scores, kind="stable")[:k]
        return Hits(rows, scores[rows])

    def similarity(self, summaries: Rows, vectors: Vectors) -> Vectors:
        summaries_read = [self._summaries[row] for row in summaries.tolist()]
        if not summaries_read:
            return np.zeros((len(vectors), 0), np.float32)
        return np.asarray(
            vectors @ self._embed([form(one.name, one.description) for one in summaries_read]).T, np.float32
        )

    def summaries_of(self, entities: Rows) -> Links:
        return _turned(self._covered(self._entity_row), entities)

    def above(self, summaries: Rows) -> Links:
        return _turned(self._covered(self._summary_row), summaries)

    def covered(self, summaries: Rows) -> HierarchyMembers:
        return _members(summaries, self._covered(self._entity_row), self._covered(self._summary_row))

    def communities_of(self, entities: Rows, summaries: Rows) -> Rows:
        holding = [*_turned(self._held(self._entity_row), entities).targets.tolist()]
        holding += _turned(self._held(self._summary_row), summaries).targets.tolist()
        return np.array(sorted(set(holding)), dtype=np.int64)

    def held(self, communities: Rows) -> HierarchyMembers:
        return _members(communities, self._held(self._entity_row), self._held(self._summary_row))

    def summaries(self, rows: Rows) -> list[Summary]:
        return [self._summaries[row] for row in rows.tolist()]

    def communities(self, rows: Rows) -> list[Community]:
        return [self._communities[row] for row in rows.tolist()]

    def facts(self, identifiers: Sequence[str]) -> Rows:
        return np.array([self._fact_row[one] for one in identifiers], dtype=np.int64)

    def entities(self, identifiers: Sequence[str]) -> Rows:
        return np.array([self._entity_row[one] for one in identifiers], dtype=np.int64)

    def _covered(self, rows: Mapping[str, int]) -> list[tuple[int, int]]:
        return _pairs((summary.members for summary in self._summaries), rows)

    def _held(self, rows: Mapping[str, int]) -> list[tuple[int, int]]:
        return _pairs((community.members for community in self._communities), rows)


def _pairs(held: Iterable[Sequence[str]], rows: Mapping[str, int]) -> list[tuple[int, int]]:
    """From the row of each holder to the rows of its members, of one kind."""
    return [(row, rows[member]) for row, members in enumerate(held) for member in members if member in rows]


def _links(rows: Rows, pairs: Sequence[tuple[int, int]]) -> Links:
    found = [(row, target) for row in rows.tolist() for source, target in sorted(pairs) if source == row]
    table = np.array(found, dtype=np.int64).reshape(-1, 2)
    return Links(table[:, 0], table[:, 1])


def _turned(pairs: Sequence[tuple[int, int]], rows: Rows) -> Links:
    return _links(rows, [(target, source) for source, target in pairs])


def _members(rows: Rows, entities: Sequence[tuple[int, int]], summaries: Sequence[tuple[int, int]]) -> HierarchyMembers:
    return HierarchyMembers(_links(rows, entities), _links(rows, summaries))
