"""Personalized PageRank as a linear system over dictionaries: slow, and independent of the retrieval methods."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from tests.retrieval.stories import FactsByDocument


def exact_pagerank(
    pairs: Mapping[tuple[str, str], float], seeds: Mapping[str, float], damping: float
) -> dict[str, float]:
    """Solve r = (1 - d) s + d W r over undirected weighted pairs; s are the seeds, scaled to sum 1."""
    nodes = sorted({name for pair in pairs for name in pair} | set(seeds))
    place = {name: number for number, name in enumerate(nodes)}
    adjacency = np.zeros((len(nodes), len(nodes)))
    for (first, second), weight in pairs.items():
        adjacency[place[first], place[second]] += weight
        adjacency[place[second], place[first]] += weight
    transition = adjacency / adjacency.sum(axis=0)
    reset = np.array([seeds.get(name, 0.0) for name in nodes]) / sum(seeds.values())
    scores = np.linalg.solve(np.eye(len(nodes)) - damping * transition, (1 - damping) * reset)
    return dict(zip(nodes, scores.tolist(), strict=True))


def pairs_of(documents: FactsByDocument) -> Counter[tuple[str, str]]:
    """Count for each pair of entities the facts that they share."""
    return Counter(pair for facts in documents.values() for fact in facts for pair in combinations(sorted(fact), 2))


def facts_of(documents: FactsByDocument) -> list[tuple[str, Sequence[str]]]:
    """List each fact with the document that states it."""
    return [(document, fact) for document, facts in documents.items() for fact in facts]
