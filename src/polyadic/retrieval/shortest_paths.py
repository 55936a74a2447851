"""Shortest paths between entities and summaries over facts and memberships (HiRAG, arXiv 2503.10150, Eq. 15).

A step leads through a fact from one of its entities to another, or through a membership from a summary to a member or
back. Two members of a summary are two steps apart, because a path through a membership fact passes its summary.

The graph in which paths are searched grows in rings: the first contains the facts and memberships of the nodes
themselves, the second those of the nodes that the first one reached. The size of each ring is bounded, independent of
the size of the store and of hubs.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.optional_dependencies import need
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, nodes_of, similarity, summaries_in
from polyadic.retrieval.subgraph import Places, position
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Links, Reader, Rows, Vectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FACTS_OF_A_NODE = 50
"""Facts per node; for a hub, those most similar to the question."""
FRONTIER = 200
"""Number of nodes that a further ring starts from: those most similar to the question."""

_RINGS = 2
_ORIGINS = 64
"""Origins searched at once."""
# Costs of a step besides its dissimilarity to the question: a large fact says little about any two of its entities, a
# hub joins unrelated things, and membership in a summary only means that two things are similar.
_UNLIKE, _EACH_DOUBLING, _HUB, _MEMBERSHIP = 1.5, 0.25, 0.1, 1.5

Pair = tuple[int, int]


@dataclass(frozen=True)
class PathGraph:
    """Nodes with the facts and the memberships that join them.

    ``nodes`` and ``facts`` are sorted. ``participation`` holds pairs of positions in facts and nodes, ``membership``
    pairs of positions in nodes, the summary first; both have shape (2, n). ``rings`` is the number of rings; all edges
    of the nodes of inner rings are included, within the bounds. It is 0 for the whole graph.
    """

    nodes: Nodes
    facts: Rows
    participation: Places
    membership: Places
    rings: int
    _inner: Nodes
    _memberships: Links


def whole_graph(reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    """Return the graph of all entities, summaries and facts."""
    facts, summaries = np.sort(reader.rows("fact")), np.arange(hierarchy.summary_count)
    nodes = np.sort(nodes_of(reader.rows("entity"), summaries))
    covered = hierarchy.covered(summaries)
    memberships = _merged(
        Links(~covered.entities.sources, covered.entities.targets),
        Links(~covered.summaries.sources, ~covered.summaries.targets),
    )
    return _graph(nodes, facts, reader.links("fact_entities", facts), memberships, rings=0, inner=nodes)


def first_ring(keys: Nodes, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    """Return the graph of the key nodes; for a hub, with the facts most similar to ``toward``, shape (d,)."""
    none = np.zeros(0, dtype=np.int64)
    return _grown(
        np.unique(keys), PathGraph(none, none, _EMPTY, _EMPTY, 0, none, Links(none, none)), toward, reader, hierarchy
    )


def further_ring(graph: PathGraph, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    """Extend the graph by the facts and memberships of its outermost nodes."""
    outer = np.setdiff1d(graph.nodes, graph._inner)
    if len(outer) > FRONTIER:
        nearest = np.argsort(-similarity(outer, toward, reader, hierarchy), kind="stable")[:FRONTIER]
        outer = np.sort(outer[nearest])
    return _grown(outer, graph, toward, reader, hierarchy)


_EMPTY: Places = np.zeros((2, 0), dtype=np.int64)


def _grown(frontier: Nodes, graph: PathGraph, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathGraph:
    entities, summaries = entities_in(frontier), summaries_in(frontier)
    facts = np.union1d(graph.facts, reader.facts_of(entities, FACTS_OF_A_NODE, toward).targets)
    taking_part = reader.links("fact_entities", facts)
    memberships = _merged(graph._memberships, *_memberships(entities, summaries, hierarchy))
    ends = (taking_part.targets, memberships.sources, memberships.targets, frontier, graph.nodes)
    nodes = np.unique(np.concatenate(ends))
    inner = np.union1d(graph._inner, frontier)
    return _graph(nodes, facts, taking_part, memberships, graph.rings + 1, inner)


def _graph(nodes: Nodes, facts: Rows, taking_part: Links, memberships: Links, rings: int, inner: Nodes) -> PathGraph:
    return PathGraph(
        nodes,
        facts,
        np.stack([position(taking_part.sources, facts), position(taking_part.targets, nodes)]),
        np.stack([position(memberships.sources, nodes), position(memberships.targets, nodes)]),
        rings,
        inner,
        memberships,
    )


def _memberships(entities: Rows, summaries: Rows, hierarchy: HierarchyReader) -> list[Links]:
    """Return all memberships of these entities and summaries as pairs of nodes, the summary first."""
    below, above = hierarchy.summaries_of(entities), hierarchy.above(summaries)
    covered = hierarchy.covered(summaries)
    return [
        Links(~below.targets, below.sources),
        Links(~above.targets, ~above.sources),
        Links(~covered.entities.sources, covered.entities.targets),
        Links(~covered.summaries.sources, ~covered.summaries.targets),
    ]


def _merged(*links: Links) -> Links:
    """Merge links; each pair occurs once."""
    table = np.stack(
        [np.concatenate([part.sources for part in links]), np.concatenate([part.targets for part in links])], axis=1
    )
    once = np.unique(table, axis=0)
    return Links(once[:, 0], once[:, 1])


@dataclass(frozen=True, slots=True)
class ShortestPath:
    """The nodes of a path in order, the steps between them, and its length.

    A step is a fact, by row, or the membership of a summary, by the summary's node (below zero).
    """

    nodes: tuple[int, ...]
    steps: tuple[int, ...]
    length: float


@dataclass(frozen=True, slots=True)
class PathCosts:
    """Costs of passing each fact and each node of a graph, and of each membership."""

    facts: NDArray[np.float64]
    nodes: NDArray[np.float64]
    memberships: NDArray[np.float64]


def paths_between(
    pairs: Sequence[Pair],
    toward: Vectors,
    reader: Reader,
    hierarchy: HierarchyReader,
    weighted: bool,
    bounded: bool = True,
) -> tuple[list[ShortestPath], PathGraph]:
    """Return a shortest path for each connected pair, in order, and the graph that was searched.

    Parameters
    ----------
    pairs
        Nodes of the store (see hierarchy_nodes.py).
    toward
        The vector of the question, shape (d,).
    reader
        The store.
    hierarchy
        The hierarchy in the store.
    weighted
        Whether relevant and small facts are shorter, and hubs and memberships longer; otherwise each step counts 1.
    bounded
        Whether to search only as far as ``first_ring`` and ``further_ring``; otherwise the whole graph is searched.

    Returns
    -------
    tuple
        Among paths of the same length the first by rows, so that the result is deterministic. Unless one of
        these bounds is reached, unweighted paths of up to five steps are shortest (and one of up to four steps is
        always found); weighted paths are shortest among those within the graph.
    """
    keys = np.array([node for pair in pairs for node in pair], dtype=np.int64)
    graph = first_ring(keys, toward, reader, hierarchy) if bounded else whole_graph(reader, hierarchy)
    while True:
        lengths = weights(graph, toward, reader, hierarchy) if weighted else steps(graph)
        paths = paths_in(graph, lengths, pairs)
        if not bounded:
            return [path for path in paths if path is not None], graph
        # A shorter path may lead through nodes that were not searched.
        surely = 2 * graph.rings + 1
        far = any(path is None or (not weighted and len(path.steps) > surely) for path in paths)
        if graph.rings == _RINGS or not far:
            return [path for path in paths if path is not None], graph
        graph = further_ring(graph, toward, reader, hierarchy)


def steps(graph: PathGraph) -> PathCosts:
    """Return unit costs for all steps, as in the paper."""
    return PathCosts(np.ones(len(graph.facts)), np.zeros(len(graph.nodes)), np.ones(graph.membership.shape[1]))


def weights(graph: PathGraph, toward: Vectors, reader: Reader, hierarchy: HierarchyReader) -> PathCosts:
    """Return costs that make relevant and small facts short, hubs and memberships long.

    A fact costs ``1.5 - cos`` to the question, with the cosine reduced by the fact's incompleteness, plus a quarter for
    each doubling of its number of entities from two; passing an entity costs a tenth for each doubling of its number of
    facts; a membership costs 1.5 times a fact as relevant as its summary.
    """
    similarities = reader.similarity("fact", graph.facts, toward[None, :])[0] * completeness(graph.facts, reader)
    sizes = np.maximum(reader.degrees("fact_entities", graph.facts), 2)
    facts = (_UNLIKE - similarities.astype(np.float64)) * (1 + _EACH_DOUBLING * np.log2(sizes / 2))
    nodes = np.zeros(len(graph.nodes))
    nodes[graph.nodes >= 0] = _HUB * np.log2(np.maximum(reader.degrees("entity_facts", entities_in(graph.nodes)), 1))
    summaries = graph.nodes[graph.membership[0]]
    similarities = similarity(summaries, toward, reader, hierarchy).astype(np.float64)
    return PathCosts(facts, nodes, _MEMBERSHIP * (_UNLIKE - similarities))


def paths_in(graph: PathGraph, lengths: PathCosts, pairs: Sequence[Pair]) -> list[ShortestPath | None]:
    """Return a shortest path for each pair within a graph; None if the pair is not connected.

    Raises
    ------
    PackageMissing
        There are pairs, and SciPy is not installed.
    """
    if not pairs:
        return []
    need("path search", "hierarchy", scipy="scipy")
    ends = position(np.array(pairs, dtype=np.int64), graph.nodes)
    matrix = _matrix(graph, lengths, np.unique(ends))
    # Each pair is searched from the end that it shares with its neighbours in the list: half as many searches.
    starts = _shared_ends(ends)
    origins = ends[np.arange(len(ends)), starts]
    memberships = set(zip(*graph.membership.tolist(), strict=True))
    paths: list[ShortestPath | None] = [None] * len(pairs)
    for origin, distances, before in _searches(matrix, np.unique(origins)):
        for number in np.flatnonzero(origins == origin).tolist():
            goal = int(ends[number, 1 - starts[number]])
            if np.isfinite(distances[goal]):
                places = _traced(before, goal)
                places = places if starts[number] == 0 else places[::-1]
                paths[number] = _path(graph, places, float(distances[goal]), memberships)
    return paths


def _searches(
    matrix: "csr_array[np.float64]", origins: Places
) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.int32]]]:
    """Yield each origin with its distance to every place, and the predecessor of every place."""
    # Imported late: the import takes as long as a question, and most methods need no paths.
    from scipy.sparse.csgraph import dijkstra

    # A few at a time, because each takes memory in proportion to the graph.
    for start in range(0, len(origins), _ORIGINS):
        some = origins[start : start + _ORIGINS]
        distances, before = dijkstra(matrix, indices=some, return_predecessors=True)
        yield from zip(some.tolist(), distances, before, strict=True)


def _shared_ends(ends: Places) -> NDArray[np.int64]:
    """Return for each pair the end (0 or 1) to start from: in a chain of pairs, the one shared with the next pair."""
    starts: list[int] = []
    searched: set[int] = set()
    for first, second in ends.tolist():
        starts.append(1 if second in searched or first not in searched else 0)
        searched.add(second if starts[-1] else first)
    return np.array(starts, dtype=np.int64)


def _matrix(graph: PathGraph, lengths: PathCosts, keys: Places) -> "csr_array[np.float64]":
    """Build the graph of nodes and facts; each edge has half of the cost of its ends, so a path sums up all it passes.

    Dead ends are removed.
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
    """Return which edges do not lead to a dead end."""
    kept = np.ones(len(sources), dtype=bool)
    while True:
        degrees = np.bincount(sources[kept], minlength=size) + np.bincount(targets[kept], minlength=size)
        degrees[keys] = 2
        left = kept & (degrees[sources] > 1) & (degrees[targets] > 1)
        if left.sum() == kept.sum():
            return kept
        kept = left


def _traced(before: NDArray[np.int32], goal: int) -> list[int]:
    """Follow predecessors from the goal back to the start; return the path from start to goal."""
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
