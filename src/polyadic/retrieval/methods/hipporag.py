"""Method ``hipporag``: HippoRAG (arXiv 2405.14831, NeurIPS 2024), Personalized PageRank over names.

Each name in the question is linked to one entity, a seed. The weight of a seed is its node specificity: 1 / number of
its passages. Edges join entities that share a fact, with the number of these facts as weight, and synonyms, with their
cosine. A passage is scored by the sum of the scores of the entities of its facts. The method retrieves passages, no
facts. Differences from the paper and its code:

- Names are found without a language model, unless ``question_entities`` says otherwise.
- An entity of the same name is preferred to the one with the nearest vector, because the stored vectors also contain
  descriptions. For the same reason, synonyms are only searched for the seeds.
- A fact of n entities joins all n (n - 1) / 2 pairs, a triple one.
- The graph has the facts up to four steps from the seeds; for a hub, those nearest to the question.
- If the question names nothing, the paper's code gives all passages the same score; this retrieves the most similar.
"""

from dataclasses import replace

import numpy as np

from polyadic.config import HippoRAGSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.entity_graph import entity_graph, synonyms_of
from polyadic.retrieval.entity_search import linked_entities
from polyadic.retrieval.items import RetrievedRow, retrieved_rows, similar
from polyadic.retrieval.query_entity_extraction import QueryEntityFinder, embed_question_and_names
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Hits, Reader, Vectors

_SHOWN = 20
_SYNONYMS = 100


class HippoRAG:
    """Retrieve passages by the PageRank of the entities in their facts."""

    name = "hipporag"

    def __init__(self, settings: HippoRAGSettings, question_entities: QueryEntityFinder) -> None:
        self._settings = settings
        self._question_entities = question_entities

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        named, (h_q, *h_names) = await embed_question_and_names(
            question, self._question_entities, reader, embedder, trace
        )
        linked = linked_entities(named.names, np.array(h_names), reader)
        if len(linked.rows):
            found = self._ranked(self._seeds(linked, reader), h_q, reader, trace)
        else:
            near = reader.nearest("chunk", h_q, _SHOWN)
            found = retrieved_rows("chunk", near.rows, near.scores, similar(near.scores.tolist()), reader)
            trace.done("walk", "none, as the question names no entity; the most similar passages")
        return replace(knowledge_of(question, self.name, found, context_tokens, trace, reader), usage=named.usage)

    def _seeds(self, linked: Hits, reader: Reader) -> Hits:
        """Return each linked entity once, with its node specificity as weight."""
        rows = np.unique(linked.rows)
        passages = np.maximum(reader.degrees("entity_chunks", rows), 1)
        weights = 1 / passages if self._settings.node_specificity else np.ones(len(rows))
        return Hits(rows, weights.astype(np.float32))

    def _ranked(self, seeds: Hits, h_q: Vectors, reader: Reader, trace: Trace) -> list[RetrievedRow]:
        """Return the passages with the highest scores."""
        synonyms, cosines = synonyms_of(seeds.rows, self._settings.synonyms_above, _SYNONYMS, reader)
        graph = entity_graph(seeds.rows, synonyms, cosines, h_q, reader)
        entity_scores = graph.entity_scores(seeds, self._settings.damping)
        names = ", ".join(entity.name for entity in reader.entities(seeds.rows))
        trace.done("walk", f"from {names} over {len(graph.parts.entities)} entities")
        scores = graph.passage_scores(graph.fact_scores(entity_scores))
        best = np.argsort(-scores, kind="stable")[:_SHOWN]
        best = best[scores[best] > 0]
        whys = [f"reached from {names}"] * len(best)
        return retrieved_rows("chunk", graph.parts.chunks[best], scores[best].astype(np.float32), whys, reader)
