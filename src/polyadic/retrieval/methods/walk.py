"""Method ``walk``: Personalized PageRank over the hypergraph, twice; no language model.

The seeds are the entities named in the question, the facts most similar to it and, with low weight, the most similar
passages and the best by BM25. The walk runs over entities, facts and passages, along the edges between a fact and its
entities, between a fact and the passages that state it, between a passage and the entity that its document is about,
and between aliases. High-scoring entities that the question does not name are bridges; a second walk is guided by the
question applied to each bridge. This way the method finds facts that share no word with the question.

References: HippoRAG (Gutiérrez et al., NeurIPS 2024) for the walk over names and passages; the second walk, the edge
weights and the ranking are our own.
"""

from dataclasses import dataclass

import numpy as np

from polyadic.config import WalkSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval.bridge_entities import BridgeEntities, facts_of_bridges, find_bridges
from polyadic.retrieval.context_order import FACTS_FIRST, order_context
from polyadic.retrieval.edge_weights import compute_edge_weights, standardize
from polyadic.retrieval.entity_linking import AnalyzedQuestion, analyze_question
from polyadic.retrieval.explanations import Explanations
from polyadic.retrieval.items import RetrievedRow, retrieved_rows
from polyadic.retrieval.personalized_pagerank import PPRScores, subgraph_pagerank
from polyadic.retrieval.seed_distribution import Seeds, find_start, seed
from polyadic.retrieval.subgraph import Subgraph, joined, surround
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.retrieval.walk_scores import score_chunks, score_facts
from polyadic.storage.incidence import distinct
from polyadic.storage.protocol import Reader, Rows, Vectors

_CHUNKS_ABOUT_A_BRIDGE = 3


@dataclass(frozen=True, slots=True)
class WalkResult:
    """Graph and PageRank scores of a walk, and similarities of its facts.

    ``similarity`` (to the question) and ``bridge_similarity`` (to the nearest bridge question) have shape (facts,).
    """

    graph: Subgraph
    scores: PPRScores
    similarity: Vectors
    bridge_similarity: Vectors


@dataclass(frozen=True, slots=True)
class WalkOutcome:
    """The result of both walks: the graph around the question, and the scores of its facts and passages.

    ``chunk_scores`` and ``chunk_similarity`` (to the question) have shape (passages,), ``fact_scores`` (facts,).
    """

    asked: AnalyzedQuestion
    start: Seeds
    bridges: BridgeEntities
    end: WalkResult
    chunk_scores: Vectors
    fact_scores: Vectors
    chunk_similarity: Vectors


class Walk:
    """Retrieve facts and passages by Personalized PageRank."""

    name = "walk"

    def __init__(self, settings: WalkSettings) -> None:
        self._settings = settings

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        outcome = await self.run(question, reader, embedder, trace)
        ranked = self.rank(outcome, outcome.chunk_scores, reader)
        trace.done("rank", f"{len(ranked)} facts and passages")
        return knowledge_of(question, self.name, ranked, context_tokens, trace, reader)

    async def run(self, question: str, reader: Reader, embedder: Embedder, trace: Trace) -> WalkOutcome:
        """Walk from a question, and score the facts and passages around it."""
        analyzed = analyze_question(question, reader)
        trace.done("read the question", _names(analyzed))
        question_vectors = await embedder.embed([analyzed.text, analyzed.remainder or analyzed.text])
        trace.done("embed", "the question, and the question without its names")
        start = find_start(analyzed, question_vectors[0], reader)
        end = self._first(start, question_vectors, reader)
        bridges = find_bridges(end.graph, end.scores, analyzed, reader)
        trace.done("walk", f"{_size(end.graph)}; bridges: {', '.join(bridges.names) or 'none'}")
        bridge_vectors = np.zeros((0, question_vectors.shape[1]), dtype=np.float32)
        if self._settings.second_walk and bridges.names:
            bridge_vectors = await embedder.embed(bridges.questions(analyzed))
            trace.done("embed", f"questions about {len(bridge_vectors)} bridges")
            end = self._second(start, end, bridges, question_vectors, bridge_vectors, reader)
            trace.done("second walk", _size(end.graph))
        graph = end.graph
        chunk_bridge_similarity = np.zeros(len(graph.chunks), dtype=np.float32)
        if len(bridge_vectors):
            chunk_bridge_similarity = reader.similarity("chunk", graph.chunks, bridge_vectors).max(axis=0)
        chunk_scores = score_chunks(
            graph, end.scores, analyzed.anchors, bridges, end.bridge_similarity, chunk_bridge_similarity
        )
        similarity = reader.similarity("chunk", graph.chunks, question_vectors[:1])[0]
        return WalkOutcome(
            analyzed, start, bridges, end, chunk_scores, score_facts(end.scores, end.bridge_similarity), similarity
        )

    def rank(
        self, outcome: WalkOutcome, chunk_scores: Vectors, reader: Reader, facts_first: int = FACTS_FIRST
    ) -> list[RetrievedRow]:
        """Return the best passages by these scores with their best facts; ``facts_first`` facts come first."""
        graph = outcome.end.graph
        best = np.argsort(-chunk_scores, kind="stable")[: self._settings.passages]
        order = order_context(graph, best, outcome.fact_scores, self._settings.facts, facts_first)
        shown = np.array([place for kind, place in order if kind is ItemKind.FACT], dtype=np.int64)
        reasons = Explanations(graph, outcome.asked, outcome.bridges)
        fact_whys = reasons.of_facts(shown, outcome.end.similarity[shown])
        chunk_whys = reasons.of_chunks(best, outcome.chunk_similarity[best])
        facts = retrieved_rows("fact", graph.facts[shown], outcome.fact_scores[shown], fact_whys, reader)
        chunks = retrieved_rows("chunk", graph.chunks[best], chunk_scores[best], chunk_whys, reader)
        ranked = {(ItemKind.FACT, place): fact for place, fact in zip(shown.tolist(), facts, strict=True)}
        ranked |= {(ItemKind.CHUNK, place): chunk for place, chunk in zip(best.tolist(), chunks, strict=True)}
        return [ranked[entry] for entry in order]

    def _first(self, start: Seeds, question_vectors: Vectors, reader: Reader) -> WalkResult:
        graph = surround(start.facts, start.chunks, reader, start.aliases)
        similarity = to_question(graph.facts, question_vectors, reader)
        scores = self._pagerank(start, graph, standardize(similarity), reader)
        return WalkResult(graph, scores, similarity, np.zeros_like(similarity))

    def _second(
        self,
        start: Seeds,
        first: WalkResult,
        bridges: BridgeEntities,
        question_vectors: Vectors,
        bridge_vectors: Vectors,
        reader: Reader,
    ) -> WalkResult:
        """Walk again over a graph that includes the facts of the bridges.

        Similarity to the question and to the bridge questions counts equally.
        """
        facts = distinct(first.graph.facts, facts_of_bridges(bridges, bridge_vectors, reader))
        chunks = distinct(start.chunks, reader.links("topic_chunks", bridges.either, _CHUNKS_ABOUT_A_BRIDGE).targets)
        graph = surround(facts, chunks, reader, joined(start.aliases, bridges.aliases))
        # In one call, so that the vectors of all these facts are fetched once.
        cosines = reader.similarity("fact", graph.facts, np.concatenate([question_vectors, bridge_vectors]))
        similarity = cosines[: len(question_vectors)].mean(axis=0)
        bridge_similarity = cosines[len(question_vectors) :].max(axis=0)
        relevance = (standardize(similarity) + standardize(bridge_similarity)) * np.float32(0.5)
        return WalkResult(graph, self._pagerank(start, graph, relevance, reader), similarity, bridge_similarity)

    def _pagerank(self, start: Seeds, graph: Subgraph, relevance: Vectors, reader: Reader) -> PPRScores:
        return subgraph_pagerank(
            graph, seed(start, graph, reader), compute_edge_weights(graph, relevance, reader), self._settings.damping
        )


def to_question(facts: Rows, question_vectors: Vectors, reader: Reader) -> Vectors:
    """Return the mean similarity of facts to the question and to the question without its names."""
    return np.asarray(reader.similarity("fact", facts, question_vectors).mean(axis=0), dtype=np.float32)


def _names(question: AnalyzedQuestion) -> str:
    return f"names {', '.join(question.mentions)}" if question.mentions else "names no known entity"


def _size(graph: Subgraph) -> str:
    facts, entities, chunks = graph.sizes
    return f"{facts} facts, {entities} entities, {chunks} passages"
