"""Method ``fastgraphrag``: the fast-graphrag project (Circlemind 2024), PageRank over entities.

The seeds are the entity nearest to each name in the question, and the 20 entities nearest to the question. A fact is
scored by the sum of the PageRank scores of its entities, a passage by the sum of the scores of the best 64 facts that
it states. Differences from the project's code:

- Names are found without a language model, unless ``question_entities`` says otherwise; general terms are not
  extracted. An entity of the same name is preferred to the one with the nearest vector.
- A fact may have more than two entities. It joins all pairs of them, and is scored by all of them.
- Entities with similar vectors are joined ("is" edges) for the seeds only.
- The graph has the facts up to four steps from the seeds; for a hub, those nearest to the question.
- Descriptions of entities are not shown, because they have no single source. Passages come first, with three quarters
  of the tokens, the project's ratio of passages to facts.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from polyadic.config import FastGraphRAGSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.entity_graph import EntityGraph, entity_graph, synonyms_of
from polyadic.retrieval.entity_search import linked_entities
from polyadic.retrieval.items import RetrievedRow, retrieved_rows
from polyadic.retrieval.personalized_pagerank import Floats
from polyadic.retrieval.query_entity_extraction import QueryEntityFinder, embed_question_and_names
from polyadic.retrieval.token_budget import knowledge_of, truncate_to_budget
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

_NAMES_IN_A_REASON = 3
_SAME_ENTITY = 2
"""Most entities joined with a seed as identical: fast-graphrag looks at the three nearest, itself among them."""


class FastGraphRAG:
    """Retrieve facts and passages by the PageRank of their entities."""

    name = "fastgraphrag"

    def __init__(self, settings: FastGraphRAGSettings, question_entities: QueryEntityFinder) -> None:
        self._settings = settings
        self._question_entities = question_entities

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        named, (h_q, *h_names) = await embed_question_and_names(
            question, self._question_entities, reader, embedder, trace
        )
        seeds = self._seeds(linked_entities(named.names, np.array(h_names), reader), h_q, reader)
        facts, passages = self._ranked(seeds, h_q, reader, trace)
        first, _ = truncate_to_budget(passages, round(self._settings.passage_share * context_tokens))
        found = [*first, *facts, *passages]
        return replace(knowledge_of(question, self.name, found, context_tokens, trace, reader), usage=named.usage)

    def _seeds(self, linked: Hits, h_q: Vectors, reader: Reader) -> Hits:
        """Return the entities of the names, each with weight 1, and the nearest ones, with weights that sum to 1."""
        near = reader.nearest("entity", h_q, self._settings.entities)
        likeness = (1 + near.scores) / 2
        weights = dict(zip(near.rows.tolist(), (likeness / max(likeness.sum(), 1e-8)).tolist(), strict=True))
        close = linked.rows[linked.scores >= self._settings.name_similarity]
        weights |= dict.fromkeys(close.tolist(), 1.0)
        rows = np.array(sorted(weights), dtype=np.int64)
        return Hits(rows, np.array([weights[row] for row in rows.tolist()], dtype=np.float32))

    def _ranked(
        self, seeds: Hits, h_q: Vectors, reader: Reader, trace: Trace
    ) -> tuple[list[RetrievedRow], list[RetrievedRow]]:
        """Return the facts and the passages with the highest scores."""
        settings = self._settings
        synonyms, _ = synonyms_of(seeds.rows, settings.synonyms_above, _SAME_ENTITY, reader)
        graph = entity_graph(seeds.rows, synonyms, np.ones(len(synonyms.sources)), h_q, reader)
        scores = graph.entity_scores(seeds, settings.damping)
        trace.done("walk", f"from {len(seeds.rows)} entities over {len(graph.parts.entities)}")
        entity_scores = _only_best(np.where(scores >= settings.entity_score, scores, 0.0), settings.ranked_entities)
        fact_scores = _only_best(graph.fact_scores(entity_scores), settings.facts)
        passage_scores = _only_best(graph.passage_scores(fact_scores), settings.passages)
        trace.done("rank", f"{np.count_nonzero(fact_scores)} facts, {np.count_nonzero(passage_scores)} passages")
        why = f"reached through {_best_names(graph, entity_scores, reader)}"
        return (
            _best_first("fact", graph.parts.facts, fact_scores, why, reader),
            _best_first("chunk", graph.parts.chunks, passage_scores, why, reader),
        )


def _only_best(scores: Floats, most: int) -> Floats:
    """Set all but the ``most`` highest scores to 0."""
    kept = np.zeros_like(scores)
    best = np.argsort(-scores, kind="stable")[:most]
    kept[best] = scores[best]
    return kept


def _best_names(graph: EntityGraph, scores: Floats, reader: Reader) -> str:
    """Return the names of the entities with the highest scores."""
    best = graph.parts.entities[np.argsort(-scores, kind="stable")[:_NAMES_IN_A_REASON]]
    return ", ".join(entity.name for entity in reader.entities(best))


def _best_first(
    node_type: Literal["fact", "chunk"], rows: Rows, scores: Floats, why: str, reader: Reader
) -> list[RetrievedRow]:
    """Return the rows with a score above 0, the highest first."""
    best = np.argsort(-scores, kind="stable")[: np.count_nonzero(scores)]
    return retrieved_rows(node_type, rows[best], scores[best].astype(np.float32), [why] * len(best), reader)
