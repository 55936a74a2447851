"""Flow-based pruning: reliable paths in a graph of pairs (PathRAG, arXiv 2502.14902, section 3.3)."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

Graph = Mapping[int, Sequence[int]]
"""The distinct neighbours of each node."""

LONGEST = 3
"""Maximum number of pairs on a path."""


@dataclass(frozen=True, slots=True)
class FlowPath:
    """The nodes of a path in order, and its reliability."""

    nodes: tuple[int, ...]
    reliability: float


def paths_between(graph: Graph, ends: Sequence[int], decay: float, threshold: float) -> list[FlowPath]:
    """Return all paths between two of the ends that have enough flow, most reliable first.

    A flow of 1 leaves the start in equal parts to all neighbours, reduced by ``decay`` for each pair; where a part
    would be less than ``threshold``, the flow stops. The reliability of a path is the sum of the flows at its nodes,
    including the start, divided by the number of its pairs. A path found from both ends counts once, with the better
    reliability.

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
    """Yield the paths from one start; flow reaches each node along the fewest pairs."""
    reached = {start: 1.0}
    partial: list[tuple[int, ...]] = [(start,)]
    for _ in range(LONGEST):
        wave: dict[int, float] = {}
        open_ends = {nodes[-1] for nodes in partial}
        flowing = {node for node in open_ends if graph.get(node) and reached[node] / len(graph[node]) >= threshold}
        for node in sorted(flowing):
            for neighbour in graph[node]:
                if neighbour not in reached:
                    wave[neighbour] = wave.get(neighbour, 0.0) + decay * reached[node] / len(graph[node])
        partial = [
            (*nodes, neighbour)
            for nodes in partial
            if nodes[-1] in flowing
            for neighbour in graph[nodes[-1]]
            if neighbour in wave
        ]
        reached |= wave
        for nodes in partial:
            if nodes[-1] in ends:
                yield FlowPath(nodes, sum(reached[node] for node in nodes) / (len(nodes) - 1))
