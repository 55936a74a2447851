"""Edge weights of the walk: conductance of facts, entities and chunks."""

import numpy as np

from polyadic.retrieval.personalized_pagerank import PPRScores
from polyadic.retrieval.subgraph import Subgraph
from polyadic.storage.protocol import Reader, Rows, Vectors

RELEVANCE_WEIGHT = 0.9
SALIENCE_POWER = 4
HUB_POWER = 0.25
_HIGHEST_SCORE, _HIGHEST_FACT_SCORE = 100.0, 10.0
_COMPLETENESS_POWER = 0.5


def compute_edge_weights(graph: Subgraph, relevance: Vectors, reader: Reader) -> PPRScores:
    """Return the conductance of each node, given the relevance of each fact (standardized, shape (facts,)).

    The conductance of a fact grows with its relevance and completeness; that of an entity with its score, and falls
    with its number of facts, so that dates, numbers and hubs do not join unrelated facts; chunks have equal
    conductance.
    """
    salience = (reader.scores("entity", graph.entities) / _HIGHEST_SCORE) ** SALIENCE_POWER
    hubness = np.maximum(reader.degrees("entity_facts", graph.entities), 1) ** HUB_POWER
    return PPRScores(
        (np.exp(RELEVANCE_WEIGHT * relevance) * completeness(graph.facts, reader)).astype(np.float32),
        (salience / hubness).astype(np.float32),
        np.ones(len(graph.chunks), dtype=np.float32),
    )


def completeness(facts: Rows, reader: Reader) -> Vectors:
    """Return how self-contained each fact is, in (0, 1]: a fragment like "asked Ada." resembles any question."""
    return np.asarray((reader.scores("fact", facts) / _HIGHEST_FACT_SCORE) ** _COMPLETENESS_POWER, dtype=np.float32)


def standardize(values: Vectors) -> Vectors:
    """Return z-scores: distances from the mean in standard deviations; zeros if all values are equal.

    >>> standardize(np.array([1.0, 3.0])).tolist(), standardize(np.array([2.0, 2.0])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    if not len(values):
        return values
    deviation = values.std()
    return np.asarray((values - values.mean()) / (deviation if deviation > np.finfo(np.float32).eps else 1.0))
