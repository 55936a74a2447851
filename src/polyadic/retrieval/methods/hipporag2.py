"""Method ``hipporag2``: HippoRAG 2 (arXiv 2502.14802), Personalized PageRank over entities and passages.

The seeds are the entities of the facts nearest to the question. Passages are seeds with a small weight each, which
grows with their similarity. Edges join pairs of entities that share a fact, synonyms, and passages with the entities of
their facts. The method retrieves passages, no facts. If no fact resembles the question, it retrieves the most similar
passages. Differences from the paper and its code:

- No language model filters the facts (its "recognition memory"); a fact with a similarity below the embedder's
  threshold for unrelated texts is left out.
- The five nearest facts have about 25 entities; the paper's five triples have at most ten. So the fifteen entities with
  the highest weights are seeds, not five as in the paper (chosen on the even-numbered questions of 2Wiki-101).
- The graph is the neighbourhood of the question, not the whole store: the most similar passages, the nearest facts, all
  facts of these passages, and further facts of their entities; for a hub, those nearest to the question.
- Synonyms are only searched for the seed entities, within that neighbourhood: their names are compared with the stored
  vectors, which also contain descriptions.
- Each passage is linked to the entity in the title of its document, because the paper's passages include the title.
"""

import numpy as np

from polyadic.config import HippoRAG2Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.clique_expansion import expand_cliques
from polyadic.retrieval.items import RetrievedRow, retrieved_rows, similar
from polyadic.retrieval.personalized_pagerank import Floats, graph_pagerank
from polyadic.retrieval.similarity_hits import above
from polyadic.retrieval.subgraph import CHUNKS_OF_A_FACT, Places, Subgraph, position, surround
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.incidence import distinct
from polyadic.storage.protocol import (
    ChunkFactsPrefetch,
    Hits,
    NearestPrefetch,
    NeighbourPrefetch,
    Reader,
    Rows,
    Vectors,
)

_NEAREST_CHUNKS, _SHOWN = 100, 20
_FACTS_IN_A_CHUNK, _FACTS_OF_AN_ENTITY = 50, 10


class HippoRAG2:
    """Retrieve passages by Personalized PageRank over entities and passages."""

    name = "hipporag2"

    def __init__(self, settings: HippoRAG2Settings) -> None:
        self._settings = settings

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        h_q = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        reader.prefetch(NearestPrefetch("fact", h_q, self._settings.facts))
        dense = reader.nearest("chunk", h_q, _NEAREST_CHUNKS)
        facts = above(embedder.unrelated_below, reader.nearest("fact", h_q, self._settings.facts))
        trace.done("nearest", f"{len(facts.rows)} facts and {len(dense.rows)} passages")
        if not len(facts.rows):
            trace.done("walk", "none, as no fact resembles the question")
            rows, scores = dense.rows[:_SHOWN], dense.scores[:_SHOWN]
            near = retrieved_rows("chunk", rows, scores, similar(scores.tolist()), reader)
            return knowledge_of(question, self.name, near, context_tokens, trace, reader)
        reader.prefetch(
            NeighbourPrefetch(facts.rows, CHUNKS_OF_A_FACT, dense.rows),
            ChunkFactsPrefetch(dense.rows, _FACTS_IN_A_CHUNK),
        )
        starts = self._starts(facts, reader)
        names = [entity.name for entity in reader.entities(starts.rows)]
        vectors = await embedder.embed(names)
        trace.done("embed", f"the names {', '.join(names)}")
        graph = _neighbourhood(facts.rows, dense.rows, h_q, reader)
        mass = self._walk(graph, starts, dense, vectors, reader)
        trace.done("walk", f"over {len(graph.entities)} names and {len(graph.chunks)} passages")
        reached = _reached(graph, mass, starts, names, reader)
        return knowledge_of(question, self.name, reached, context_tokens, trace, reader)

    def _starts(self, facts: Hits, reader: Reader) -> Hits:
        """Return the entities of the nearest facts with seed weights: mean similarity / number of their passages."""
        links = reader.links("fact_entities", facts.rows)
        entities, which = np.unique(links.targets, return_inverse=True)
        similarity = dict(zip(facts.rows.tolist(), facts.scores.tolist(), strict=True))
        similarities = np.array([similarity[fact] for fact in links.sources.tolist()])
        mean = np.bincount(which, similarities) / np.bincount(which)
        weight = (mean / np.maximum(reader.degrees("entity_chunks", entities), 1)).astype(np.float32)
        best = np.argsort(-weight, kind="stable")[: self._settings.entities]
        return Hits(entities[best], weight[best])

    def _synonyms(self, graph: Subgraph, starts: Rows, vectors: Vectors, reader: Reader) -> tuple[Places, Floats]:
        """Return pairs of a seed entity and an entity with a similar name, and their similarities."""
        similarity = reader.similarity("entity", graph.entities, vectors)
        which, other = np.nonzero(similarity >= self._settings.synonyms_above)
        one = position(starts, graph.entities)[which]
        return np.stack([one, other])[:, one != other], similarity[which, other][one != other]

    def _walk(self, graph: Subgraph, starts: Hits, dense: Hits, names: Vectors, reader: Reader) -> Floats:
        """Run PageRank and return the score of each passage; entities precede passages among the nodes."""
        size = len(graph.entities)
        seeds = np.zeros(size + len(graph.chunks))
        seeds[position(starts.rows, graph.entities)] = starts.scores
        seeds[size + position(dense.rows, graph.chunks)] = self._settings.passage_weight * _scaled(dense.scores)
        pairs = expand_cliques(graph.facts, reader)
        shared = np.stack([position(pairs.firsts, graph.entities), position(pairs.seconds, graph.entities)])
        passage_edges = _passage_entities(graph) + np.array([[size], [0]])
        synonyms, nearly = self._synonyms(graph, starts.rows, names, reader)
        edges = np.concatenate([shared, passage_edges, synonyms], axis=1)
        weights = np.concatenate([np.ones(shared.shape[1] + passage_edges.shape[1]), nearly])
        return graph_pagerank(edges, weights, seeds, self._settings.damping)[size:]


def _neighbourhood(facts: Rows, chunks: Rows, h_q: Vectors, reader: Reader) -> Subgraph:
    """Build the graph around these facts and passages: their facts, and further facts of the entities in them."""
    near = distinct(facts, reader.links("chunk_facts", chunks, _FACTS_IN_A_CHUNK).targets)
    entities = distinct(reader.links("fact_entities", near).targets)
    further = reader.facts_of(entities, _FACTS_OF_AN_ENTITY, h_q).targets
    return surround(distinct(near, further), chunks, reader)


def _passage_entities(graph: Subgraph) -> Places:
    """Return each pair of a passage and an entity of its facts or title once, as positions in chunks and entities."""
    order = np.argsort(graph.participation[0], kind="stable")
    facts, entities = graph.participation[:, order]
    stated, chunks = graph.statement
    first, last = np.searchsorted(facts, stated), np.searchsorted(facts, stated, "right")
    among = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)] or [first])
    of_facts = np.stack([np.repeat(chunks, last - first), entities[among]])
    return np.unique(np.concatenate([of_facts, graph.naming], axis=1), axis=1)


def _scaled(scores: Vectors) -> Vectors:
    """Scale scores linearly to [0, 1]; all 1 if they are equal."""
    lowest, highest = float(scores.min(initial=1.0)), float(scores.max(initial=-1.0))
    return (scores - lowest) / (highest - lowest) if highest > lowest else np.ones_like(scores)


def _reached(graph: Subgraph, mass: Floats, starts: Hits, names: list[str], reader: Reader) -> list[RetrievedRow]:
    """Return the passages with the highest scores."""
    best = np.argsort(-mass, kind="stable")[:_SHOWN]
    best = best[mass[best] > 0]
    known = dict(zip(position(starts.rows, graph.entities).tolist(), names, strict=True))
    named: dict[int, list[str]] = {}
    for chunk, entity in _passage_entities(graph).T.tolist():
        if entity in known:
            named.setdefault(chunk, []).append(known[entity])
    whys = [f"about {', '.join(named[chunk])}" if chunk in named else "reached by the walk" for chunk in best.tolist()]
    return retrieved_rows("chunk", graph.chunks[best], mass[best].astype(np.float32), whys, reader)
