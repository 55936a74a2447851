"""The graph in which communities are sought: entities joined by facts, and summaries with the members they cover.

A fact of arity n gives each of its n (n - 1) / 2 pairs its score / (n - 1). So each participant has its score once,
whatever the arity: with 1 a pair, a fact of 20 participants would count for as much as 190 facts of two; with a share
of the score a pair, those who take part in large facts would hardly be tied to anything.

What two entities share counts for less the more facts each is in, by the fourth root of both counts. Undamped, the
largest communities gather round "American" or "film director"; damped by more, facts are torn apart, for then every
entity holds on to its rarest fact alone.

A membership joins a summary and one member as strongly as an entity is tied to all others, at the median, times
MEMBERSHIP. So it joins members of a cluster that facts do not, and draws hardly any away from where their facts are.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.protocol import Links, Rows, Vectors

MEMBERSHIP = 0.1
HUB_POWER = 0.25
REACH = 8
"""Facts with more than 2 REACH + 1 participants join each with the REACH next ones only, in a ring."""

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CommunityGraph:
    """An undirected graph: each pair of nodes once, ``sources`` below ``targets``, in that order; weights above 0."""

    nodes: int
    sources: Rows
    targets: Rows
    weights: Weights


def build_community_graph(facts: Links, scores: Vectors, memberships: Links, nodes: int) -> CommunityGraph:
    """Join what takes part in the same facts, and what a summary covers with the summary.

    Parameters
    ----------
    facts
        Each fact, a place in ``scores``, with each node that takes part in it.
    scores
        Of the facts, above 0, shape (facts,).
    memberships
        Each summary, a node, with each node that it covers.
    nodes
        How many there are.

    >>> pair = Links(np.array([0, 0]), np.array([0, 1]))
    >>> graph = build_community_graph(pair, np.array([8.0], dtype=np.float32), Links(np.array([2, 2]), np.array([0,
    ... 1])), 3)
    >>> [*zip(graph.sources.tolist(), graph.targets.tolist(), graph.weights.tolist())]
    [(0, 1, 8.0), (0, 2, 0.8), (1, 2, 0.8)]
    """
    facts = _distinct(facts)
    joined = _damped(_summed(list(_pairs(facts, scores)), nodes), facts)
    stars = _summed([_stars(memberships, _typical(joined))], nodes)
    return _summed([(g.sources, g.targets, g.weights) for g in (joined, stars)], nodes)


_Edges = tuple[Rows, Rows, Weights]


def _distinct(facts: Links) -> Links:
    """Each participant of a fact once, in the order of facts and then of nodes."""
    sources, targets = np.unique(np.stack([facts.sources, facts.targets]), axis=1)
    return Links(sources, targets)


def _pairs(facts: Links, scores: Vectors) -> Iterator[_Edges]:
    """The pairs of all facts of one arity at a time, each fact in the order of its participants."""
    arities = np.bincount(facts.sources, minlength=len(scores))
    starts = np.cumsum(arities) - arities
    for arity in np.unique(arities[arities > 1]).tolist():
        alike = np.flatnonzero(arities == arity)
        participants = facts.targets[starts[alike][:, None] + np.arange(arity)]
        first, second, joined = _places(arity)
        weights = np.repeat(scores[alike].astype(np.float64) / joined, len(first))
        yield participants[:, first].ravel(), participants[:, second].ravel(), weights


def _places(arity: int) -> tuple[Rows, Rows, int]:
    """Which places of a fact are joined, and with how many others each is."""
    if arity <= 2 * REACH + 1:
        first, second = np.triu_indices(arity, 1)
        return first, second, arity - 1
    first = np.repeat(np.arange(arity), REACH)
    return first, (first + np.tile(np.arange(1, REACH + 1), arity)) % arity, 2 * REACH


def _damped(graph: CommunityGraph, facts: Links) -> CommunityGraph:
    degrees = np.bincount(facts.targets, minlength=graph.nodes).astype(np.float64)
    damping = (degrees[graph.sources] * degrees[graph.targets]) ** HUB_POWER
    return CommunityGraph(graph.nodes, graph.sources, graph.targets, graph.weights / damping)


def _typical(graph: CommunityGraph) -> float:
    """How strongly a node that has an edge is tied to all others, at the median; 1 where there is no edge."""
    ends = np.concatenate([graph.sources, graph.targets])
    strengths = np.bincount(ends, np.concatenate([graph.weights, graph.weights]))
    tied = strengths[strengths > 0]
    return float(np.median(tied)) if len(tied) else 1.0


def _stars(memberships: Links, typical: float) -> _Edges:
    return memberships.sources, memberships.targets, np.full(len(memberships.sources), MEMBERSHIP * typical)


def _summed(edges: list[_Edges], nodes: int) -> CommunityGraph:
    """Each pair once, with the sum of its weights; none of a node with itself."""
    if not edges:
        nothing = np.zeros(0, dtype=np.int64)
        return CommunityGraph(nodes, nothing, nothing, np.zeros(0))
    one, other, weights = (np.concatenate([part[n] for part in edges]) for n in range(3))
    keys, at = np.unique(np.minimum(one, other) * nodes + np.maximum(one, other), return_inverse=True)
    summed = np.bincount(at, weights, len(keys))
    apart = keys // nodes != keys % nodes
    return CommunityGraph(nodes, keys[apart] // nodes, keys[apart] % nodes, summed[apart])
