"""How good passages and facts are after a walk."""

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
    """How good each chunk is: its mass; whether the question or a bridge names its document; what it answers.

    Parameters
    ----------
    second_facts, second_chunks
        Similarity of each fact and chunk to the nearest question about a bridge; zeros where there are none.
    """
    naming = np.zeros(len(graph.entities), dtype=np.float32)
    strengths = BRIDGE_WEIGHT * _relative(bridges.strengths)
    assign(naming, graph.entities, *_of_those_alike(bridges, strengths))
    assign(naming, graph.entities, bridges.rows, strengths)
    assign(naming, graph.entities, anchors, np.full(len(anchors), NAMED_WEIGHT, dtype=np.float32))
    score = np.sqrt(_relative(masses.chunks)) + best_target(graph.naming, naming, len(graph.chunks))
    score += SECOND_FACT_WEIGHT * best_target(graph.statement[::-1], second_facts, len(graph.chunks))
    return np.asarray(score + SECOND_CHUNK_WEIGHT * second_chunks, dtype=np.float32)


def _of_those_alike(bridges: BridgeEntities, strengths: Vectors) -> tuple[Rows, Vectors]:
    """What may be one with a bridge is worth as much as the strongest that it may be."""
    by_row = dict(zip(bridges.rows.tolist(), strengths.tolist(), strict=True))
    best: dict[int, float] = {}
    for bridge, other in zip(bridges.alike.sources.tolist(), bridges.alike.targets.tolist(), strict=True):
        best[other] = max(best.get(other, 0.0), by_row[bridge])
    rows = sorted(best)
    return np.array(rows, dtype=np.int64), np.array([best[row] for row in rows], dtype=np.float32)


def score_facts(masses: PPRScores, second: Vectors) -> Vectors:
    """How good each fact is: its mass, and what it answers; ``second`` as for chunks."""
    return np.asarray(np.sqrt(_relative(masses.facts)) + SECOND_FACT_WEIGHT * second, dtype=np.float32)


def _relative(values: Vectors) -> Vectors:
    highest = float(values.max(initial=0.0))
    return np.asarray(values / highest if highest > 0 else values, dtype=np.float32)


def best_target(incidence: Places, values: Vectors, size: int) -> Vectors:
    """For each source of an incidence the highest value among its targets; 0 where it has none."""
    best = np.zeros(size, dtype=np.float32)
    np.maximum.at(best, incidence[0], values[incidence[1]])
    return best
