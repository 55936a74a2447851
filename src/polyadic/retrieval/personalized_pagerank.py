"""Personalized PageRank over the incidence of a subgraph (Page et al. 1999; Haveliwala 2002)."""

from dataclasses import dataclass

import numpy as np

from polyadic.retrieval.subgraph import Subgraph
from polyadic.storage.protocol import Vectors

DAMPING = 0.85
ITERATIONS = 15


@dataclass(frozen=True, slots=True)
class PPRScores:
    """A score for each fact, entity and chunk of a subgraph."""

    facts: Vectors
    entities: Vectors
    chunks: Vectors

    @property
    def joined(self) -> Vectors:
        return np.concatenate([self.facts, self.entities, self.chunks])


def run_pagerank(graph: Subgraph, seeds: PPRScores, conductance: PPRScores, damping: float = DAMPING) -> PPRScores:
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
