"""The equations of HyperGraphRAG's retrieval (arXiv 2503.21322), naively: written from the paper's text alone.

Nothing here comes from ``polyadic.retrieval``, so that it can be compared with that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

K_V, K_H, K_C = 60, 60, 5
TAU_V, TAU_H, TAU_C = 50.0, 5.0, 0.5


@dataclass(frozen=True)
class Node:
    """An entity v with its score and vector h_v."""

    vector: Vector
    score: float


@dataclass(frozen=True)
class Hyperedge:
    """A hyperedge e_H with its score, its vector and the entities V_e that it connects."""

    vector: Vector
    score: float
    entities: frozenset[str]


@dataclass(frozen=True)
class KnowledgeHypergraph:
    """G_H = (V, E_H), and the chunks d with their vectors h_d: one for each part that f reads at once."""

    entities: Mapping[str, Node]
    hyperedges: Mapping[str, Hyperedge]
    chunks: Mapping[str, Sequence[Vector]]

    def retrieve(self, h_q: Vector, h_vq: Vector | None) -> tuple[set[str], set[str]]:
        """K_H and K_chunk; ``h_vq`` is None if V_q is empty."""
        # Eq. 14
        r_v = (
            argmax(K_V, {v: sim(h_vq, node.vector) * node.score for v, node in self.entities.items()}, TAU_V)
            if h_vq is not None
            else set()
        )
        # Eq. 15
        r_h = argmax(K_H, {e: sim(h_q, edge.vector) * edge.score for e, edge in self.hyperedges.items()}, TAU_H)
        # Eq. 16: all hyperedges of the retrieved entities
        f_v = {e for v in r_v for e, edge in self.hyperedges.items() if v in edge.entities}
        # Eq. 17: the retrieved hyperedges with their entities
        f_h = {e for e in r_h if self.hyperedges[e].entities <= self.entities.keys()}
        # Eq. 20
        k_chunk = argmax(K_C, {d: max(sim(h_q, h_d) for h_d in parts) for d, parts in self.chunks.items()}, TAU_C)
        # Eq. 18
        return f_v | f_h, k_chunk


def argmax(k: int, scores: Mapping[str, float], threshold: float) -> set[str]:
    """The k highest scores, as far as they are above the threshold."""
    best = sorted(scores, key=lambda one: -scores[one])[:k]
    return {one for one in best if scores[one] > threshold}


def sim(one: Vector, other: Vector) -> float:
    """Cosine similarity."""
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


@dataclass(frozen=True)
class ExtractedEntity:
    """An entity of an extracted fact, under the key that says which names are equal."""

    key: str
    name: str
    description: str
    score: float


@dataclass(frozen=True)
class ExtractedFact:
    """A fact as a model extracted it, under the key that says which facts are equal."""

    key: str
    text: str
    score: float
    entities: Sequence[ExtractedEntity]


def knowledge_hypergraph(
    facts: Iterable[ExtractedFact],
    chunks: Mapping[str, Sequence[str]],
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
) -> KnowledgeHypergraph:
    """Build G_H (Eq. 5) with its vectors (Eq. 11 and 12).

    The paper does not say what an entity or a fact becomes that is extracted several times. Here its score is the mean,
    and an entity has its most frequent name with description, the first in the alphabet of several.
    """
    said: dict[str, list[ExtractedFact]] = {}
    named: dict[str, list[ExtractedEntity]] = {}
    for fact in facts:
        said.setdefault(fact.key, []).append(fact)
        for entity in fact.entities:
            named.setdefault(entity.key, []).append(entity)
    texts = {key: most_frequent([explained(one) for one in some]) for key, some in named.items()}
    vectors = iter(
        embed(
            [
                *texts.values(),
                *(some[0].text for some in said.values()),
                *(part for parts in chunks.values() for part in parts),
            ]
        )
    )
    entities = {
        key: Node(next(vectors).astype(np.float64), float(np.mean([one.score for one in named[key]]))) for key in texts
    }
    hyperedges = {
        key: Hyperedge(
            next(vectors).astype(np.float64),
            float(np.mean([one.score for one in some])),
            frozenset(entity.key for one in some for entity in one.entities),
        )
        for key, some in said.items()
    }
    parts_of = {key: [next(vectors).astype(np.float64) for _ in parts] for key, parts in chunks.items()}
    return KnowledgeHypergraph(entities, hyperedges, parts_of)


def explained(entity: ExtractedEntity) -> str:
    """The text of an entity: its name and explanation."""
    return f"{entity.name}: {entity.description}" if entity.description else entity.name


def most_frequent(texts: Sequence[str]) -> str:
    return min(texts, key=lambda text: (-texts.count(text), text))
