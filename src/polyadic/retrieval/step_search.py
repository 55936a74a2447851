"""Search facts and passages for one step of a plan, over the mutual index of entities, facts and passages (KAG)."""

from dataclasses import dataclass

import numpy as np

from polyadic.config import KAGSettings
from polyadic.retrieval.entity_graph import entity_graph, synonyms_of
from polyadic.retrieval.items import RetrievedRow, retrieved_rows
from polyadic.retrieval.personalized_pagerank import Floats
from polyadic.retrieval.similarity_hits import alike_to
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

_SIMILAR_PASSAGES = 100
"""Passages nearest to the step, which are ranked even if no entity leads to them."""
_FACTS_OF_AN_ENTITY = 100
_SYNONYMS = 100
_PASSAGES_OF_A_FACT = 8
_NO_HITS = Hits(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class StepHits:
    """Facts and passages found for a step, best first."""

    facts: tuple[RetrievedRow, ...]
    passages: tuple[RetrievedRow, ...]

    def merged(self, cited: frozenset[tuple[str, int]], reader: Reader) -> list[RetrievedRow]:
        """Order the rows: cited ones first, then passages that state cited facts; facts and passages alternate.

        Parameters
        ----------
        cited
            Kind and row of the facts and passages from which the step was answered.
        reader
            The store.
        """
        facts = sorted(self.facts, key=lambda fact: (fact.kind, fact.row) not in cited)
        cited_facts = np.array([fact.row for fact in facts if (fact.kind, fact.row) in cited], dtype=np.int64)
        stating = set(reader.links("fact_chunks", cited_facts, _PASSAGES_OF_A_FACT).targets.tolist())

        def rank(passage: RetrievedRow) -> int:
            return 0 if (passage.kind, passage.row) in cited else 1 if passage.row in stating else 2

        passages = sorted(self.passages, key=rank)
        first = len(cited_facts)
        return [*facts[:first], *_alternating(passages, facts[first:])]


def search_step(linked: Hits, vector: Vectors, why: str, settings: KAGSettings, reader: Reader) -> StepHits:
    """Find facts about the entities of a step, and passages by PageRank from these entities and by similarity.

    Parameters
    ----------
    linked
        Entities of the step, each with its similarity to the name that was linked.
    vector
        Vector of the step as a question, shape (d,).
    why
        Explanation of the rows.
    settings
        Settings of the method.
    reader
        The store.
    """
    facts, fact_scores = _facts(linked, vector, settings.facts, reader)
    chunks, chunk_scores = _passages(linked, vector, settings, reader)
    return StepHits(
        tuple(retrieved_rows("fact", facts, fact_scores, [why] * len(facts), reader)),
        tuple(retrieved_rows("chunk", chunks, chunk_scores, [why] * len(chunks), reader)),
    )


def _facts(linked: Hits, vector: Vectors, most: int, reader: Reader) -> tuple[Rows, Vectors]:
    """Return facts about the entities: those with more of them first, then by similarity; else the nearest facts."""
    links = reader.facts_of(np.unique(linked.rows), _FACTS_OF_AN_ENTITY, vector)
    facts, shared = np.unique(links.targets, return_counts=True)
    if not len(facts):
        near = reader.nearest("fact", vector, most)
        return near.rows, near.scores
    scores = alike_to(vector, "fact", facts, reader)
    order = np.lexsort((-scores, -shared))[:most]
    return facts[order], scores[order]


def _passages(linked: Hits, vector: Vectors, settings: KAGSettings, reader: Reader) -> tuple[Rows, Vectors]:
    """Rank passages by the weighted sum of their PageRank and their similarity, each scaled to at most 1."""
    reached = _reached(linked, vector, settings, reader)
    near = reader.nearest("chunk", vector, _SIMILAR_PASSAGES).rows
    chunks = np.unique(np.concatenate([reached.rows, near]))
    ranks = np.zeros(len(chunks))
    ranks[np.searchsorted(chunks, reached.rows)] = reached.scores
    similarity = np.maximum(alike_to(vector, "chunk", chunks, reader), 0)
    share = settings.pagerank_weight if len(reached.rows) else 0.0
    scores = share * _scaled(ranks) + (1 - share) * _scaled(similarity)
    best = np.argsort(-scores, kind="stable")[: settings.passages]
    return chunks[best], scores[best].astype(np.float32)


def _reached(linked: Hits, vector: Vectors, settings: KAGSettings, reader: Reader) -> Hits:
    """Return the passages that PageRank reaches from the entities."""
    if not len(linked.rows):
        return _NO_HITS
    synonyms, cosines = synonyms_of(np.unique(linked.rows), settings.synonyms_above, _SYNONYMS, reader)
    graph = entity_graph(np.unique(linked.rows), synonyms, cosines, vector, reader)
    scores = graph.passage_scores(graph.fact_scores(graph.entity_scores(linked, settings.damping)))
    above = scores > 0
    return Hits(graph.parts.chunks[above], scores[above].astype(np.float32))


def _scaled(scores: Floats | Vectors) -> Floats:
    greatest = float(scores.max(initial=0.0))
    return np.asarray(scores / greatest if greatest else scores, dtype=np.float64)


def _alternating(first: list[RetrievedRow], second: list[RetrievedRow]) -> list[RetrievedRow]:
    """Take rows from both lists in turn, then the rest of the longer one."""
    turns = max(len(first), len(second))
    return [row for turn in range(turns) for rows in (first, second) for row in rows[turn : turn + 1]]
