"""Method ``auto``: words, vectors and a walk over the hypergraph together, the question deciding what counts.

The passages around a question are gathered by ``walk``, which starts from names, from the nearest vectors and from the
best by BM25. They are then ranked by all of these (fusion.py).
"""

import numpy as np

from polyadic.knowledge import Knowledge
from polyadic.models.embedder import Embedder
from polyadic.retrieval.fit import knowledge_of
from polyadic.retrieval.fusion import Signals, fused
from polyadic.retrieval.methods.walk import Walk, Walked
from polyadic.retrieval.ranking import best_target
from polyadic.retrieval.subgraph import position
from polyadic.retrieval.trace import Trace
from polyadic.settings import Settings
from polyadic.store.protocol import Reader

_FLATTENING = np.float32(4.0)
# Fewer than of a walk: the first passage answers more often than it does there. Chosen on the kinds for development of
# benchmarks/ordinary, of which it brings 7 % more within 1,000 tokens; on two multi-hop sets it loses 1 and 4 %.
_FACTS_FIRST = 16


class Auto:
    """Implements Method."""

    name = "auto"

    def __init__(self, settings: Settings) -> None:
        self._walk = Walk(settings.walk)

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        walked = await self._walk.walked(question, reader, embedder, trace)
        scores = fused(signals(question, walked, reader))
        # Above 0, as shares of the best are taken of scores; flattened, as the odds of the model are too sure.
        shares = np.exp((scores - scores.max()) / _FLATTENING) if len(scores) else scores
        ranked = self._walk.listed(walked, shares, reader, _FACTS_FIRST)
        trace.done("rank", f"{len(ranked)} facts and passages, by words, vectors and walk")
        return knowledge_of(question, self.name, ranked, context_tokens, trace, reader)


def signals(question: str, walked: Walked, reader: Reader) -> Signals:
    """What a walk tells of the passages around a question."""
    graph, lexical = walked.end.graph, walked.start.lexical_chunks
    bm25 = np.zeros(len(graph.chunks), dtype=np.float32)
    bm25[position(lexical.rows, graph.chunks)] = lexical.scores
    mass = walked.end.masses.chunks
    return Signals(
        question,
        bm25,
        walked.chunk_similarity,
        walked.chunk_scores,
        best_target(graph.statement[::-1], walked.end.similarity, len(graph.chunks)),
        np.sqrt(mass / max(float(mass.max(initial=0.0)), 1e-9)),
        len(walked.asked.mentions),
        reader.spread(walked.asked.anchors),
    )
