"""Score passages and facts after a walk."""

import numpy as np

from polyadic.retrieval.bridge_entities import BridgeEntities
from polyadic.retrieval.personalized_pagerank import PPRScores
from polyadic.retrieval.subgraph import Places, Subgraph, assign
from polyadic.storage.protocol import Rows, Vectors

SECOND_FACT_WEIGHT, SECOND_CHUNK_WEIGHT = 0.3, 0.1
NAMED_WEIGHT, BRIDGE_WEIGHT = 0.4, 0.2


def score_chunks(
    graph: Subgraph,
    masses: PPRScores,
    anchors: Rows,
    bridges: BridgeEntities,
    second_facts: Vectors,
    second_chunks: Vectors,
) -> Vectors:
    """Score chunks by PageRank, by names of their document in the question or in bridges, and by bridge questions.

    Parameters
    ----------
    graph
        The subgraph.
    masses
        PageRank scores.
    anchors
        Entities that the question names.
    bridges
        Bridge entities.
    second_facts, second_chunks
        Similarity of each fact and chunk to the nearest bridge question; zeros without bridges.
    """
    naming = np.zeros(len(graph.entities), dtype=np.float32)
    strengths = BRIDGE_WEIGHT * _relative(bridges.strengths)
    assign(naming, graph.entities, *_equivalents(bridges, strengths))
    assign(naming, graph.entities, bridges.rows, strengths)
    assign(naming, graph.entities, anchors, np.full(len(anchors), NAMED_WEIGHT, dtype=np.float32))
    score = np.sqrt(_relative(masses.chunks)) + best_target(graph.naming, naming, len(graph.chunks))
    score += SECOND_FACT_WEIGHT * best_target(graph.statement[::-1], second_facts, len(graph.chunks))
    return np.asarray(score + SECOND_CHUNK_WEIGHT * second_chunks, dtype=np.float32)


def _equivalents(bridges: BridgeEntities, strengths: Vectors) -> tuple[Rows, Vectors]:
    """Return equivalents of bridges with the highest strength among their bridges."""
    by_row = dict(zip(bridges.rows.tolist(), strengths.tolist(), strict=True))
    best: dict[int, float] = {}
    for bridge, other in zip(bridges.aliases.sources.tolist(), bridges.aliases.targets.tolist(), strict=True):
        best[other] = max(best.get(other, 0.0), by_row[bridge])
    rows = sorted(best)
    return np.array(rows, dtype=np.int64), np.array([best[row] for row in rows], dtype=np.float32)


def score_facts(masses: PPRScores, second: Vectors) -> Vectors:
    """Score facts by PageRank and by similarity to bridge questions; ``second`` as ``second_facts`` for chunks."""
    return np.asarray(np.sqrt(_relative(masses.facts)) + SECOND_FACT_WEIGHT * second, dtype=np.float32)


def _relative(values: Vectors) -> Vectors:
    highest = float(values.max(initial=0.0))
    return np.asarray(values / highest if highest > 0 else values, dtype=np.float32)


def best_target(incidence: Places, values: Vectors, size: int) -> Vectors:
    """Return for each source of an incidence the highest value among its targets; 0 if it has none."""
    best = np.zeros(size, dtype=np.float32)
    np.maximum.at(best, incidence[0], values[incidence[1]])
    return best
