"""Method ``auto``: words, vectors and a walk over the hypergraph, weighted depending on the question.

The passages around a question are gathered by ``walk``, which starts from names, from the nearest vectors and from the
best by BM25. They are then ranked by all of these (fusion.py). For a question that asks for all items of a kind, facts
about the items come first (list_items.py), and for one about a broad topic, facts about it (topic_facts.py).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.fusion import FusionSignals, fuse
from polyadic.retrieval.items import RetrievedRow
from polyadic.retrieval.list_items import find_list
from polyadic.retrieval.methods.walk import Walk, WalkOutcome
from polyadic.retrieval.subgraph import position
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.topic_facts import find_topic
from polyadic.retrieval.trace import Trace
from polyadic.retrieval.walk_scores import best_target
from polyadic.storage.protocol import Reader, Vectors
from polyadic.text.counts import count
from polyadic.text.list_questions import list_question
from polyadic.text.topic_questions import broad_topic

_FLATTENING = np.float32(4.0)
# A question that names a section by its number asks about that section.
_OF_A_NAMED_SECTION = np.float32(8.0)
# How much the score of a passage counts for the facts that it states. Chosen with _FACTS_FIRST.
_OF_THE_PASSAGE = np.float32(0.75)
# Fewer than of a walk: the first passage answers more often than it does there. Chosen on the kinds for development of
# benchmarks/ordinary and on two multi-hop sets.
_FACTS_FIRST = 16


class Auto:
    """Implements Method."""

    name = "auto"

    def __init__(self, settings: Settings) -> None:
        self._walk = Walk(settings.walk)

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        outcome = await self._walk.run(question, reader, embedder, trace)
        scores = fuse(signals(question, outcome, reader))
        scores[position(outcome.start.section_chunks, outcome.end.graph.chunks)] += _OF_A_NAMED_SECTION
        # Positive, because scores are compared with the best one; flattened, because the model is overconfident.
        shares = np.exp((scores - scores.max()) / _FLATTENING) if len(scores) else scores
        ranked = self._walk.rank(_with_passages(outcome, shares), shares, reader, _FACTS_FIRST)
        trace.done("rank", f"{len(ranked)} facts and passages, by words, vectors and walk")
        asked = list_question(question)
        items = await find_list(asked, reader, embedder, context_tokens) if asked else None
        if items is None:
            first = await _topic_facts(question, reader, embedder, context_tokens, trace)
            return knowledge_of(question, self.name, [*first, *ranked], context_tokens, trace, reader)
        trace.done("list", f"{len(items.facts)} facts; types: {', '.join(items.kinds) or 'none'}")
        budget = items.budget(context_tokens)
        found = knowledge_of(question, self.name, [*items.facts, *ranked], budget, trace, reader)
        return replace(found, note=items.note)


async def _topic_facts(
    question: str, reader: Reader, embedder: Embedder, context_tokens: int, trace: Trace
) -> Sequence[RetrievedRow]:
    """Return the facts about the topic of a question; none if it asks about no broad topic."""
    topic = broad_topic(question)
    found = await find_topic(topic, reader, embedder, context_tokens) if topic else None
    if found is None:
        return ()
    where = f"{count(found.documents, 'document')} and {count(found.passages, 'passage')}"
    trace.done("topic", f"{len(found.facts)} facts first; about the topic are facts of {where}")
    return found.facts


def _with_passages(outcome: WalkOutcome, shares: Vectors) -> WalkOutcome:
    """Weight facts by the best passage that states them, because the walk ignores the words of the question."""
    graph = outcome.end.graph
    stating = best_target(graph.statement, shares, len(graph.facts))
    return replace(outcome, fact_scores=np.asarray(outcome.fact_scores * stating**_OF_THE_PASSAGE, dtype=np.float32))


def signals(question: str, outcome: WalkOutcome, reader: Reader) -> FusionSignals:
    """Return the ranking signals of the passages that a walk reached."""
    graph, lexical = outcome.end.graph, outcome.start.lexical_chunks
    bm25 = np.zeros(len(graph.chunks), dtype=np.float32)
    bm25[position(lexical.rows, graph.chunks)] = lexical.scores
    mass = outcome.end.scores.chunks
    return FusionSignals(
        question,
        bm25,
        outcome.chunk_similarity,
        outcome.chunk_scores,
        best_target(graph.statement[::-1], outcome.end.similarity, len(graph.chunks)),
        np.sqrt(mass / max(float(mass.max(initial=0.0)), 1e-9)),
        len(outcome.asked.mentions),
        reader.degrees("entity_chunks", outcome.asked.anchors),
    )
