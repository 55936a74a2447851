"""Detect communities of a graph on several levels by hierarchical Leiden (Traag, Waltman and van Eck 2019)."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from polyadic.hierarchy.community_graph import CommunityGraph

ITERATIONS = 3
"""Leiden iterations per level: the second and third improve communities slightly, later ones hardly."""


@dataclass(frozen=True, slots=True)
class LeidenCommunity:
    """A community: ``members`` are sorted nodes; ``parent`` is an index into the same list, -1 on level 0."""

    level: int
    members: tuple[int, ...]
    parent: int


def communities(graph: CommunityGraph, split_above: int, fewest: int, seed: int) -> list[LeidenCommunity]:
    """Detect communities, and sub-communities of large ones.

    Parameters
    ----------
    graph
        The graph; isolated nodes belong to no community.
    split_above
        Communities with more members are split on the next level, unless Leiden finds no finer structure.
    fewest
        Communities with fewer members are dropped.
    seed
        Random seed; the same graph and seed give the same communities.

    Returns
    -------
    list of LeidenCommunity
        By level, then by members; parents come before their sub-communities.

    >>> pairs = np.array([[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]])
    >>> triangles = CommunityGraph(7, pairs[:, 0], pairs[:, 1], np.ones(6))
    >>> [part.members for part in communities(triangles, split_above=50, fewest=3, seed=0)]
    [(0, 1, 2), (3, 4, 5)]
    """
    if not len(graph.sources):
        return []
    members_of, parents = _run(graph, split_above, seed)
    kept = {cluster: members_of[cluster] for cluster in members_of if len(members_of[cluster]) >= fewest}
    order = sorted(kept, key=lambda cluster: (cluster[0], kept[cluster]))
    index_of = {cluster: number for number, cluster in enumerate(order)}
    return [
        LeidenCommunity(cluster[0], kept[cluster], index_of[parents[cluster]] if cluster in parents else -1)
        for cluster in order
    ]


_Cluster = tuple[int, int]  # level and number


def _run(
    graph: CommunityGraph, split_above: int, seed: int
) -> tuple[dict[_Cluster, tuple[int, ...]], dict[_Cluster, _Cluster]]:
    """Run Leiden; return the members of each cluster of each level, and its parent, if any."""
    from graspologic_native import hierarchical_leiden

    found = hierarchical_leiden(
        _edges(graph), max_cluster_size=split_above, seed=seed, iterations=ITERATIONS, use_modularity=True
    )
    members: defaultdict[_Cluster, list[int]] = defaultdict(list)
    parents: dict[_Cluster, _Cluster] = {}
    for one in found:
        cluster = (one.level, one.cluster)
        members[cluster].append(int(one.node))
        if one.level:
            parents[cluster] = (one.level - 1, one.parent_cluster)
    return {cluster: tuple(sorted(nodes)) for cluster, nodes in members.items()}, parents


def _edges(graph: CommunityGraph) -> list[tuple[str, str, float]]:
    """Edges in the order of the nodes, because Leiden visits nodes in the order of the edges."""
    low, high = np.minimum(graph.sources, graph.targets), np.maximum(graph.sources, graph.targets)
    order = np.lexsort((high, low))
    names = [str(node) for node in range(graph.nodes)]
    pairs = zip(low[order].tolist(), high[order].tolist(), graph.weights[order].tolist(), strict=True)
    return [(names[a], names[b], weight) for a, b, weight in pairs]
