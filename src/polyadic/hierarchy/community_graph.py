"""Graph for community detection: clique expansion of facts over entities, and stars of summaries over their members.

A fact of arity n contributes its score / (n - 1) to each of its n (n - 1) / 2 pairs. So each participant gets the score
once, whatever the arity. With weight 1 per pair, a fact of 20 participants would weigh as much as 190 facts of two;
with the score divided among all pairs, participants of large facts would hardly be connected.

The weight of a pair is divided by the fourth root of the product of both degrees (numbers of facts). Without damping,
the largest communities form around hubs such as "American" or "film director"; with stronger damping, facts are split,
because every entity stays with its rarest fact.

A membership edge between a summary and a member weighs MEMBERSHIP times the median strength of a node. So it connects
members of a cluster that share no facts, and moves hardly any member away from the community of its facts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.protocol import Links, Rows, Vectors

MEMBERSHIP = 0.1
HUB_POWER = 0.25
REACH = 8
"""In facts with more than 2 REACH + 1 participants, each is joined with the next REACH ones in a ring only."""

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CommunityGraph:
    """An undirected graph: each pair once, sorted, with ``sources`` < ``targets``; weights are positive."""

    nodes: int
    sources: Rows
    targets: Rows
    weights: Weights


def build_community_graph(facts: Links, scores: Vectors, memberships: Links, nodes: int) -> CommunityGraph:
    """Join entities of the same fact, and summaries with their members.

    Parameters
    ----------
    facts
        Links from facts (indices into ``scores``) to the nodes that they connect.
    scores
        Positive scores of the facts, shape (facts,).
    memberships
        Links from summary nodes to the nodes that they cover.
    nodes
        Number of nodes.

    >>> pair = Links(np.array([0, 0]), np.array([0, 1]))
    >>> graph = build_community_graph(pair, np.array([8.0], dtype=np.float32), Links(np.array([2, 2]), np.array([0,
    ... 1])), 3)
    >>> [*zip(graph.sources.tolist(), graph.targets.tolist(), graph.weights.tolist())]
    [(0, 1, 8.0), (0, 2, 0.8), (1, 2, 0.8)]
    """
    facts = _distinct(facts)
    joined = _damped(_sum_edges(list(_pairs(facts, scores)), nodes), facts)
    stars = _sum_edges([_stars(memberships, _median_strength(joined))], nodes)
    return _sum_edges([(g.sources, g.targets, g.weights) for g in (joined, stars)], nodes)


_Edges = tuple[Rows, Rows, Weights]


def _distinct(facts: Links) -> Links:
    """Remove duplicate participants; sort by fact, then by node."""
    sources, targets = np.unique(np.stack([facts.sources, facts.targets]), axis=1)
    return Links(sources, targets)


def _pairs(facts: Links, scores: Vectors) -> Iterator[_Edges]:
    """Yield weighted pairs, for the facts of one arity at a time."""
    arities = np.bincount(facts.sources, minlength=len(scores))
    starts = np.cumsum(arities) - arities
    for arity in np.unique(arities[arities > 1]).tolist():
        rows = np.flatnonzero(arities == arity)
        participants = facts.targets[starts[rows][:, None] + np.arange(arity)]
        first, second, joined = _index_pairs(arity)
        weights = np.repeat(scores[rows].astype(np.float64) / joined, len(first))
        yield participants[:, first].ravel(), participants[:, second].ravel(), weights


def _index_pairs(arity: int) -> tuple[Rows, Rows, int]:
    """Index pairs to join in a fact, and the number of neighbours of each participant."""
    if arity <= 2 * REACH + 1:
        first, second = np.triu_indices(arity, 1)
        return first, second, arity - 1
    first = np.repeat(np.arange(arity), REACH)
    return first, (first + np.tile(np.arange(1, REACH + 1), arity)) % arity, 2 * REACH


def _damped(graph: CommunityGraph, facts: Links) -> CommunityGraph:
    degrees = np.bincount(facts.targets, minlength=graph.nodes).astype(np.float64)
    damping = (degrees[graph.sources] * degrees[graph.targets]) ** HUB_POWER
    return CommunityGraph(graph.nodes, graph.sources, graph.targets, graph.weights / damping)


def _median_strength(graph: CommunityGraph) -> float:
    """Median strength (sum of edge weights) of nodes with an edge; 1 if there are none."""
    ends = np.concatenate([graph.sources, graph.targets])
    strengths = np.bincount(ends, np.concatenate([graph.weights, graph.weights]))
    connected = strengths[strengths > 0]
    return float(np.median(connected)) if len(connected) else 1.0


def _stars(memberships: Links, strength: float) -> _Edges:
    return memberships.sources, memberships.targets, np.full(len(memberships.sources), MEMBERSHIP * strength)


def _sum_edges(edges: list[_Edges], nodes: int) -> CommunityGraph:
    """Sum the weights of each pair; drop self-loops."""
    if not edges:
        nothing = np.zeros(0, dtype=np.int64)
        return CommunityGraph(nodes, nothing, nothing, np.zeros(0))
    one, other, weights = (np.concatenate([part[n] for part in edges]) for n in range(3))
    keys, at = np.unique(np.minimum(one, other) * nodes + np.maximum(one, other), return_inverse=True)
    summed = np.bincount(at, weights, len(keys))
    distinct = keys // nodes != keys % nodes
    return CommunityGraph(nodes, keys[distinct] // nodes, keys[distinct] % nodes, summed[distinct])
