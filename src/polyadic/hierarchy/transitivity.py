"""Global clustering coefficient: how often two neighbours of a node are neighbours (HiRAG, Eq. 18)."""

import numpy as np

from polyadic.hierarchy.community_graph import CommunityGraph

_EDGES_AT_ONCE = 50_000


def transitivity(graph: CommunityGraph) -> float:
    """Compute closed triples / all triples, in [0, 1]; 0 without triples. Weights are ignored.

    It is measured on the clique expansion of facts, with summaries as stars over their members. The incidence graph has
    no triangles, and if the members of a summary were neighbours, the coefficient would be high for that reason alone.

    >>> triangle_and_tail = CommunityGraph(4, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.ones(4))
    >>> transitivity(triangle_and_tail)
    0.6
    """
    degrees = np.bincount(np.concatenate([graph.sources, graph.targets]), minlength=graph.nodes)
    triples = int((degrees * (degrees - 1) // 2).sum())
    return 3 * _triangles(graph, degrees) / triples if triples else 0.0


def _triangles(graph: CommunityGraph, degrees: np.ndarray) -> int:
    """Count triangles; edges are directed from lower to higher degree, which keeps out-degrees small."""
    from scipy.sparse import csr_array

    rank = np.argsort(np.argsort(degrees, kind="stable"), kind="stable")
    low, high = np.sort(np.stack([rank[graph.sources], rank[graph.targets]]), axis=0)
    shape = (graph.nodes, graph.nodes)
    ahead = csr_array((np.ones(len(low), dtype=np.int64), (low, high)), shape=shape)
    found = 0
    for start in range(0, len(low), _EDGES_AT_ONCE):
        part = slice(start, start + _EDGES_AT_ONCE)
        found += int((ahead[low[part]].multiply(ahead[high[part]])).sum())
    return found
