"""Personalized PageRank over an ordinary weighted graph (Page et al. 1999; Haveliwala 2002)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

ITERATIONS = 30

Floats = NDArray[np.floating[Any]]


def pagerank(
    edges: NDArray[np.int64], weights: Floats, seeds: Floats, damping: float, iterations: int = ITERATIONS
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

    >>> pagerank(np.array([[0], [1]]), np.ones(1), np.array([1.0, 0.0]), 0.5).round(3).tolist()
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
