"""The equations of HiRAG's retrieval (arXiv 2503.10150), naively: written from the paper's text alone.

Nothing here comes from ``polyadic.retrieval``, so that it can be compared with that. A triple of the paper is a fact of
any number of entities here, or the membership of an entity or summary in a summary.
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class HierarchicalGraph:
    """G_k with its communities P, and the similarity of each node to the question."""

    facts: Sequence[frozenset[str]]
    summaries: Mapping[str, frozenset[str]]
    communities: Sequence[frozenset[str]]
    similarity: Mapping[str, float]

    def highest(self, nodes: Collection[str], n: int) -> list[float]:
        """The similarities of TopN(nodes, n), best first (Eq. 12 and 14); which nodes these are is open in ties."""
        return sorted((self.similarity[node] for node in nodes), reverse=True)[:n]

    def communities_of(self, near: Collection[str]) -> set[frozenset[str]]:
        """The communities that intersect with the nearest nodes (Eq. 13)."""
        return {community for community in self.communities if community & set(near)}

    def distance(self, start: str, goal: str) -> int | None:
        """The length of ShortestPath(start, goal) in steps (Eq. 15); None if there is no path."""
        distances, queue = {start: 0}, deque([start])
        while queue:
            node = queue.popleft()
            for other in self._joined(node) - distances.keys():
                distances[other] = distances[node] + 1
                queue.append(other)
        return distances.get(goal)

    def triples(self, nodes: Collection[str]) -> tuple[set[frozenset[str]], dict[str, set[str]]]:
        """The facts and memberships that join any two of these nodes (Eq. 16)."""
        facts = {fact for fact in self.facts if len(fact & set(nodes)) >= 2}
        members = {summary: set(below & set(nodes)) for summary, below in self.summaries.items() if summary in nodes}
        return facts, {summary: below for summary, below in members.items() if below}

    def _joined(self, node: str) -> set[str]:
        by_facts = {other for fact in self.facts if node in fact for other in fact}
        above = {summary for summary, members in self.summaries.items() if node in members}
        return by_facts | above | set(self.summaries.get(node, ()))
