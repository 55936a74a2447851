"""Ordinary graph of entities around the seeds of a PageRank; edges join the entities of a fact, and synonyms."""

from dataclasses import dataclass

import numpy as np

from polyadic.retrieval.clique_expansion import expand_cliques
from polyadic.retrieval.personalized_pagerank import Floats, graph_pagerank
from polyadic.retrieval.subgraph import Places, Subgraph, assign, position, surround
from polyadic.storage.incidence import among, distinct
from polyadic.storage.protocol import Hits, Links, Reader, Rows, Vectors

FACTS_OF_AN_ENTITY = 100
"""Maximum number of facts of an entity; for a hub, those nearest to the question."""
MOST_FACTS = 5_000
"""Maximum number of facts in the graph."""
HOPS = 4
"""Maximum number of facts between a seed and another entity."""
ITERATIONS = 100
"""Enough for a damping factor of 0.85: the error is below 1e-7."""

_NONE: Rows = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Facts with their entities and passages, and edges between entities.

    Parameters
    ----------
    parts
        Sorted rows of facts, entities and passages, and their incidence.
    edges
        Pairs of positions in the entities, shape (2, n). A pair occurs once for each fact that joins it.
    weights
        Weight of each edge, shape (n,).
    """

    parts: Subgraph
    edges: Places
    weights: Floats

    def entity_scores(self, seeds: Hits, damping: float) -> Floats:
        """Compute the Personalized PageRank of each entity from weighted seed entities; the scores sum to 1."""
        reset = np.zeros(len(self.parts.entities))
        assign(reset, self.parts.entities, seeds.rows, seeds.scores)
        return graph_pagerank(self.edges, self.weights, reset, damping, ITERATIONS)

    def fact_scores(self, entity_scores: Floats) -> Floats:
        """Return for each fact the sum of the scores of its entities."""
        facts, entities = self.parts.participation
        return np.asarray(np.bincount(facts, entity_scores[entities], len(self.parts.facts)), dtype=np.float64)

    def passage_scores(self, fact_scores: Floats) -> Floats:
        """Return for each passage the sum of the scores of the facts that it states."""
        facts, chunks = self.parts.statement
        return np.asarray(np.bincount(chunks, fact_scores[facts], len(self.parts.chunks)), dtype=np.float64)


def entity_graph(seeds: Rows, synonyms: Links, weights: Floats, toward: Vectors, reader: Reader) -> EntityGraph:
    """Build the graph around seed entities.

    It contains the facts of the seeds, those of the entities in these facts, and so on, up to HOPS steps away. In a
    small store, this is everything that is connected to the seeds.

    Parameters
    ----------
    seeds
        Entity rows, shape (n,).
    synonyms
        Pairs of entities to join besides those of one fact.
    weights
        Weight of each of these pairs.
    toward
        Vector of the question, shape (d,). For a hub, only the facts nearest to it are used.
    reader
        The store.
    """
    known = distinct(seeds, synonyms.sources, synonyms.targets)
    parts = surround(_facts_around(known, toward, reader), _NONE, reader, synonyms)
    pairs = expand_cliques(parts.facts, reader)
    shared = np.stack([position(pairs.firsts, parts.entities), position(pairs.seconds, parts.entities)])
    edges = np.concatenate([shared, parts.likeness], axis=1)
    return EntityGraph(parts, edges, np.concatenate([np.ones(shared.shape[1]), weights]))


def synonyms_of(entities: Rows, least: float, most: int, reader: Reader) -> tuple[Links, Floats]:
    """Return pairs of an entity and one of the ``most`` others nearest to it, if their cosine is at least ``least``.

    Each pair occurs once, the smaller row first.

    Returns
    -------
    tuple
        The pairs, and the cosine of each, shape (pairs,).
    """
    cosines: dict[tuple[int, int], float] = {}
    for entity, vector in zip(entities.tolist(), reader.directions("entity", entities), strict=True):
        near = reader.nearest("entity", vector, most + 1)
        for other, cosine in zip(near.rows.tolist(), near.scores.tolist(), strict=True):
            if cosine >= least and other != entity:
                cosines[min(entity, other), max(entity, other)] = cosine
    pairs = np.array(sorted(cosines), dtype=np.int64).reshape(-1, 2)
    return Links(pairs[:, 0], pairs[:, 1]), np.array([cosines[pair] for pair in sorted(cosines)])


def _facts_around(entities: Rows, toward: Vectors, reader: Reader) -> Rows:
    """Return the facts at most HOPS steps from these entities, until there are MOST_FACTS."""
    facts, frontier, known = _NONE, entities, entities
    for _ in range(HOPS):
        found = distinct(reader.facts_of(frontier, FACTS_OF_AN_ENTITY, toward).targets)
        found = found[~among(found, facts)]
        if len(facts) + len(found) > MOST_FACTS:
            similarity = reader.similarity("fact", found, toward[None, :])[0]
            found = found[np.argsort(-similarity, kind="stable")[: MOST_FACTS - len(facts)]]
        facts = distinct(facts, found)
        reached = distinct(reader.links("fact_entities", found).targets)
        frontier = reached[~among(reached, known)]
        known = distinct(known, frontier)
        if not len(frontier) or len(facts) >= MOST_FACTS:
            break
    return facts
