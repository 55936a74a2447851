"""Personalized PageRank over a hypergraph's incidence or an ordinary graph (Page et al. 1999; Haveliwala 2002)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.subgraph import Subgraph
from polyadic.storage.protocol import Vectors

DAMPING = 0.85
ITERATIONS = 15

_GRAPH_ITERATIONS = 30

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class PPRScores:
    """A score for each fact, entity and chunk of a subgraph."""

    facts: Vectors
    entities: Vectors
    chunks: Vectors

    @property
    def joined(self) -> Vectors:
        return np.concatenate([self.facts, self.entities, self.chunks])


def subgraph_pagerank(graph: Subgraph, seeds: PPRScores, conductance: PPRScores, damping: float = DAMPING) -> PPRScores:
    """Compute Personalized PageRank scores; the walk returns to the seeds with probability 1 - damping.

    From a node it moves to a neighbour with probability proportional to the neighbour's conductance; without neighbours
    it returns to the seeds. The scores sum to 1 if the seeds have any mass, otherwise all are 0.

    Parameters
    ----------
    graph
        The subgraph to walk over.
    seeds
        Reset distribution over the nodes; need not be normalized.
    conductance
        Weight of each node.
    damping
        Probability of moving to a neighbour.

    Returns
    -------
    PPRScores
        Score of each node.
    """
    start = seeds.joined.astype(np.float64)
    total = start.sum()
    if total <= 0:
        return seeds
    start /= total
    sources, targets = _edges(graph)
    weights = conductance.joined.astype(np.float64)[targets]
    n = len(start)
    leaving = np.bincount(sources, weights, n)
    weights *= damping / np.where(leaving > 0, leaving, 1.0)[sources]
    stuck = np.flatnonzero(leaving <= 0)
    mass = start
    for _ in range(ITERATIONS):
        returning = 1 - damping + (damping * mass[stuck].sum() if len(stuck) else 0.0)
        mass = np.bincount(targets, mass.take(sources) * weights, n) + returning * start
    return _split(graph, mass.astype(np.float32))


def _edges(graph: Subgraph) -> tuple[np.ndarray, np.ndarray]:
    """Return every incidence in both directions, as positions in facts + entities + chunks."""
    facts, entities, _ = graph.sizes
    participation = graph.participation + np.array([[0], [facts]])
    statement = graph.statement + np.array([[0], [facts + entities]])
    naming = graph.naming + np.array([[facts + entities], [facts]])
    likeness = graph.likeness + facts
    pairs = np.concatenate([participation, statement, naming, likeness], axis=1)
    return np.concatenate([pairs[0], pairs[1]]), np.concatenate([pairs[1], pairs[0]])


def _split(graph: Subgraph, joined: Vectors) -> PPRScores:
    facts, entities, _ = graph.sizes
    return PPRScores(joined[:facts], joined[facts : facts + entities], joined[facts + entities :])


def graph_pagerank(
    edges: NDArray[np.int64], weights: Floats, seeds: Floats, damping: float, iterations: int = _GRAPH_ITERATIONS
) -> Floats:
    """Compute Personalized PageRank scores; the walk returns to the seeds with probability 1 - damping.

    Parameters
    ----------
    edges
        Undirected edges as pairs of positions in ``seeds``, shape (2, n); weights of parallel edges add up.
    weights
        Weight of each edge, shape (n,), not negative.
    seeds
        Reset distribution, shape (nodes,), not negative. The result sums to 1 if it has any mass, otherwise it is all
        0.
    damping
        Probability of following an edge.
    iterations
        Number of power iterations; the error after n of them is at most ``damping ** n``.

    >>> graph_pagerank(np.array([[0], [1]]), np.ones(1), np.array([1.0, 0.0]), 0.5).round(3).tolist()
    [0.667, 0.333]
    """
    total = seeds.sum()
    if total <= 0:
        return np.zeros(len(seeds))
    start = seeds / total
    sources, targets = np.concatenate([edges, edges[::-1]], axis=1)
    both = np.concatenate([weights, weights])
    leaving = np.bincount(sources, both, len(start))
    shares = both / np.where(leaving > 0, leaving, 1.0)[sources]
    stuck = leaving <= 0
    mass = start
    for _ in range(iterations):
        moved = np.bincount(targets, mass[sources] * shares, len(start))
        mass = damping * moved + (1 - damping + damping * mass[stuck].sum()) * start
    return np.asarray(mass, dtype=np.float64)
