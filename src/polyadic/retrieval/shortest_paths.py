"""Shortest paths between entities and summaries over facts and memberships (HiRAG, arXiv 2503.10150, Eq. 15).

A step leads through a fact from one of its entities to another, or through a membership from a summary to a member or
back: two members are two steps apart, because a route through a membership fact passes through its summary.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.optional_dependencies import need
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.hierarchy_nodes import entities_in, similarity
from polyadic.retrieval.path_graph import PathGraph, first_ring, further_ring
from polyadic.retrieval.subgraph import Places, position
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader, Vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_RINGS = 2
# What a step costs beside what it has to do with the question: a fact of many entities says little of any two of them,
# a hub joins what has nothing to do with each other, and that two things are alike is no fact about them.
_UNLIKE, _EACH_DOUBLING, _HUB, _MEMBERSHIP = 1.5, 0.25, 0.1, 1.5

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ShortestPath:
    """Nodes in their order, what leads from each to the next, and how long that is.

    A step is a fact, by row, or the membership of a summary, by the summary's node (below zero).
    """

    nodes: tuple[int, ...]
    steps: tuple[int, ...]
    length: float


@dataclass(frozen=True, slots=True)
class PathCosts:
    """What it costs to go through each fact and each node of a graph, and along a membership."""

    facts: NDArray[np.float64]
    nodes: NDArray[np.float64]
    memberships: NDArray[np.float64]


def paths_between(
    pairs: Sequence[Pair], toward: Vectors, reader: Reader, themes: HierarchyReader, weighted: bool
) -> tuple[list[ShortestPath], PathGraph]:
    """A shortest path for each pair that can be joined, in their order, and the graph in which they were found.

    Parameters
    ----------
    pairs
        Nodes of the store (see hierarchy_nodes.py).
    toward
        The vector of the question, shape (d,).
    weighted
        Whether relevant and small facts are shorter, and hubs and memberships longer; else each step counts 1.

    Returns
    -------
    tuple
        Among paths of the same length the first in the order of rows, so that it is the same every time. Where none
        of the bounds of path_graph.py is met, none is shorter: unweighted, where it has up to five steps (and one of
        up to four steps is always found); weighted, among those that go no further than the graph does.
    """
    keys = np.array([node for pair in pairs for node in pair], dtype=np.int64)
    graph = first_ring(keys, toward, reader, themes)
    while True:
        lengths = weights(graph, toward, reader, themes) if weighted else steps(graph)
        paths = paths_in(graph, lengths, pairs)
        # A path that is longer may go through what has not been looked at.
        surely = 2 * graph.rings + 1
        far = any(path is None or (not weighted and len(path.steps) > surely) for path in paths)
        if graph.rings == _RINGS or not far:
            return [path for path in paths if path is not None], graph
        graph = further_ring(graph, toward, reader, themes)


def steps(graph: PathGraph) -> PathCosts:
    """Each step is as long as any other, as in the paper."""
    return PathCosts(np.ones(len(graph.facts)), np.zeros(len(graph.nodes)), np.ones(graph.membership.shape[1]))


def weights(graph: PathGraph, toward: Vectors, reader: Reader, themes: HierarchyReader) -> PathCosts:
    """Relevant and small facts are short, hubs and memberships long.

    A fact costs ``1.5 - cos`` to the question, where the cosine counts for less the less the fact says on its own, and
    a quarter more for each doubling of the two entities that the smallest has; an entity that is passed through a tenth
    for each doubling of its facts; a membership 1.5 times what a fact as relevant as its summary would.
    """
    alike = reader.similarity("fact", graph.facts, toward[None, :])[0] * completeness(graph.facts, reader)
    sizes = np.maximum(reader.degrees("fact", graph.facts), 2)
    facts = (_UNLIKE - alike.astype(np.float64)) * (1 + _EACH_DOUBLING * np.log2(sizes / 2))
    nodes = np.zeros(len(graph.nodes))
    nodes[graph.nodes >= 0] = _HUB * np.log2(np.maximum(reader.degrees("entity", entities_in(graph.nodes)), 1))
    summaries = graph.nodes[graph.membership[0]]
    alike = similarity(summaries, toward, reader, themes).astype(np.float64)
    return PathCosts(facts, nodes, _MEMBERSHIP * (_UNLIKE - alike))


def paths_in(graph: PathGraph, lengths: PathCosts, pairs: Sequence[Pair]) -> list[ShortestPath | None]:
    """A shortest path for each pair within a graph; None where there is none.

    Raises
    ------
    PackageMissing
        There are pairs, and SciPy is not installed.
    """
    if not pairs:
        return []
    need("seeking paths", "hierarchy", scipy="scipy")
    # Imported late: it takes as long as a question, and most methods need no paths.
    from scipy.sparse.csgraph import dijkstra

    ends = position(np.array(pairs, dtype=np.int64), graph.nodes)
    matrix = _matrix(graph, lengths, np.unique(ends))
    # Each pair is searched from that end from which its neighbours in the list are too: half as many searches.
    starts = _shared_ends(ends)
    origins = np.unique(ends[np.arange(len(ends)), starts])
    distances, before = dijkstra(matrix, indices=origins, return_predecessors=True)
    memberships = set(zip(*graph.membership.tolist(), strict=True))
    found: list[ShortestPath | None] = []
    for pair, start in zip(ends.tolist(), starts.tolist(), strict=True):
        row = int(np.searchsorted(origins, pair[start]))
        goal = pair[1 - start]
        if not np.isfinite(distances[row, goal]):
            found.append(None)
            continue
        places = _traced(before[row], goal)
        places = places if start == 0 else places[::-1]
        found.append(_path(graph, places, float(distances[row, goal]), memberships))
    return found


def _shared_ends(ends: Places) -> NDArray[np.int64]:
    """For each pair the end (0 or 1) to start from: in a chain of pairs, the one that it shares with the next."""
    starts: list[int] = []
    searched: set[int] = set()
    for first, second in ends.tolist():
        starts.append(1 if second in searched or first not in searched else 0)
        searched.add(second if starts[-1] else first)
    return np.array(starts, dtype=np.int64)


def _matrix(graph: PathGraph, lengths: PathCosts, keys: Places) -> "csr_array[np.float64]":
    """The graph of nodes and facts: each edge has half of what its ends cost, so that a path has all it goes through.

    What only one thing leads to leads nowhere, and is left out.
    """
    from scipy.sparse import csr_array

    size = len(graph.nodes)
    (facts, nodes), (summaries, members) = graph.participation, graph.membership
    sources = np.concatenate([size + facts, summaries])
    targets = np.concatenate([nodes, members])
    through_facts = lengths.facts[facts] + lengths.nodes[nodes]
    along = 2 * lengths.memberships + lengths.nodes[summaries] + lengths.nodes[members]
    values = np.concatenate([through_facts, along]) / 2
    kept = _leading_on(sources, targets, size + len(graph.facts), keys)
    sources, targets, values = sources[kept], targets[kept], values[kept]
    shape = (size + len(graph.facts),) * 2
    places = (np.concatenate([sources, targets]), np.concatenate([targets, sources]))
    return csr_array((np.concatenate([values, values]), places), shape=shape)


def _leading_on(sources: Places, targets: Places, size: int, keys: Places) -> NDArray[np.bool_]:
    """Which edges are not on the way to a dead end."""
    kept = np.ones(len(sources), dtype=bool)
    while True:
        degrees = np.bincount(sources[kept], minlength=size) + np.bincount(targets[kept], minlength=size)
        degrees[keys] = 2
        left = kept & (degrees[sources] > 1) & (degrees[targets] > 1)
        if left.sum() == kept.sum():
            return kept
        kept = left


def _traced(before: NDArray[np.int32], goal: int) -> list[int]:
    """From the end of a path back to its start, told forwards."""
    places = [goal]
    while (place := int(before[places[-1]])) >= 0:
        places.append(place)
    return places[::-1]


def _path(graph: PathGraph, places: Sequence[int], length: float, memberships: Collection[Pair]) -> ShortestPath:
    size = len(graph.nodes)
    nodes, through = [places[0]], list[int]()
    for before, place in pairwise(places):
        if place < size:
            nodes.append(place)
        if place >= size:
            through.append(int(graph.facts[place - size]))
        elif before < size:
            through.append(int(graph.nodes[before if (before, place) in memberships else place]))
    return ShortestPath(tuple(graph.nodes[nodes].tolist()), tuple(through), length)
