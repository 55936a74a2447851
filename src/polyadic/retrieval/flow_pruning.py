"""Flow through a graph of pairs, and the paths that it takes (PathRAG, arXiv 2502.14902, section 3.3)."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

Graph = Mapping[int, Sequence[int]]
"""The neighbours of each node, each once."""

LONGEST = 3
"""Pairs of a path."""


@dataclass(frozen=True, slots=True)
class FlowPath:
    """Nodes in their order, and how reliable it is that they belong together."""

    nodes: tuple[int, ...]
    reliability: float


def paths_between(graph: Graph, ends: Sequence[int], decay: float, threshold: float) -> list[FlowPath]:
    """Every path from one of the ends to another along which enough flows, the most reliable first.

    From its start 1 flows, in equal parts to all neighbours and a little less after each pair (``decay``); where a
    part would be less than ``threshold``, nothing flows on. The reliability of a path is what reached its nodes, its
    start included, summed and divided by the number of its pairs. A path that is found from both ends counts once, by
    the better of them.

    >>> paths_between({1: [2], 2: [1, 3], 3: [2]}, [1, 3], decay=1.0, threshold=0.1)
    [FlowPath(nodes=(1, 2, 3), reliability=1.25)]
    """
    others, best = frozenset(ends), dict[tuple[int, ...], FlowPath]()
    for start in ends:
        for path in _from(graph, start, others, decay, threshold):
            either = min(path.nodes, path.nodes[::-1])
            if either not in best or path.reliability > best[either].reliability:
                best[either] = path
    return sorted(best.values(), key=lambda path: (-path.reliability, path.nodes))


def _from(graph: Graph, start: int, ends: AbstractSet[int], decay: float, threshold: float) -> Iterator[FlowPath]:
    """The paths from one start; what flows reaches each node by the fewest pairs."""
    reached = {start: 1.0}
    leading: list[tuple[int, ...]] = [(start,)]
    for _ in range(LONGEST):
        wave: dict[int, float] = {}
        open_ends = {nodes[-1] for nodes in leading}
        flowing = {node for node in open_ends if graph.get(node) and reached[node] / len(graph[node]) >= threshold}
        for node in sorted(flowing):
            for neighbour in graph[node]:
                if neighbour not in reached:
                    wave[neighbour] = wave.get(neighbour, 0.0) + decay * reached[node] / len(graph[node])
        leading = [
            (*nodes, neighbour)
            for nodes in leading
            if nodes[-1] in flowing
            for neighbour in graph[nodes[-1]]
            if neighbour in wave
        ]
        reached |= wave
        for nodes in leading:
            if nodes[-1] in ends:
                yield FlowPath(nodes, sum(reached[node] for node in nodes) / (len(nodes) - 1))
