"""Method ``raptor``: the collapsed tree of RAPTOR (arXiv 2401.18059, ICLR 2024).

Passages and summaries of clusters of passages, of all layers, are searched together, and the nearest to the question
are retrieved. Differences from the paper and its code:

- Summaries are extractive: facts of the summarized passages, verbatim, nearest to the centre of the cluster first. A
  retrieved summary is shown as its facts, each with its own sources. The paper's summaries are written by a model.
- The tree is not stored. The first question after a change of the documents builds it in memory, for the documents that
  are searched. Passages that state no fact are searched, but not summarized.
- Vectors are reduced by PCA, not by UMAP, and covariances are diagonal. Clusters are split by mixtures until they have
  about ``cluster_tokens``, without the paper's separate global and local step.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from polyadic.config import RaptorSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import PolyadicError
from polyadic.model.types import Knowledge
from polyadic.optional_dependencies import need
from polyadic.retrieval.chunk_tree import ChunkTree, ChunkTreeCache, SummaryNode
from polyadic.retrieval.items import RetrievedRow, retrieved_rows, similar
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader, Vectors
from polyadic.text.counts import count

MOST_CHUNKS = 20_000
_TREES = ChunkTreeCache()


class Raptor:
    """Retrieve the passages and summaries of passages nearest to the question."""

    name = "raptor"

    def __init__(self, settings: RaptorSettings) -> None:
        self._settings = settings

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        need("method raptor", "hierarchy", sklearn="scikit-learn", threadpoolctl="threadpoolctl")
        if (size := reader.size("chunk")) > MOST_CHUNKS:
            what = f"method raptor clusters all passages in memory, and {size:,} are more than {MOST_CHUNKS:,}"
            raise PolyadicError(what, "select fewer documents, or use another method, such as hierarchy")
        trace = Trace()
        h_q = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        tree = await _TREES.tree(reader, embedder, self._settings)
        trace.done("tree", f"{count(len(tree.summaries), 'summary', 'summaries')} over {count(size, 'passage')}")
        found = self._nearest(h_q, tree, reader)
        trace.done("nearest", f"{len(found)} passages and facts of summaries")
        return knowledge_of(question, self.name, found, context_tokens, trace, reader)

    def _nearest(self, h_q: Vectors, tree: ChunkTree, reader: Reader) -> list[RetrievedRow]:
        """Return the nearest nodes of all layers, best first; a summary as its facts."""
        chunks = reader.nearest("chunk", h_q, self._settings.nodes)
        scores = np.concatenate([chunks.scores, tree.vectors @ h_q])
        best = np.argsort(-scores, kind="stable")[: self._settings.nodes]
        passages = retrieved_rows("chunk", chunks.rows, chunks.scores, similar(chunks.scores.tolist()), reader)
        first = len(passages)
        facts = _summary_facts(
            [tree.summaries[i - first] for i in best if i >= first], scores[best[best >= first]], reader
        )
        nodes = ([passages[i]] if i < first else next(facts) for i in best.tolist())
        return [row for rows in nodes for row in rows]


def _summary_facts(nodes: Sequence[SummaryNode], scores: Vectors, reader: Reader) -> Iterator[list[RetrievedRow]]:
    """Yield the facts of each summary; those of all are looked up together."""
    sizes = [len(node.facts) for node in nodes]
    rows = np.array([fact for node in nodes for fact in node.facts], dtype=np.int64)
    whys = [
        f"in a summary of {len(node.chunks)} passages (layer {node.layer}; extractive)"
        for node in nodes
        for _ in node.facts
    ]
    found = iter(retrieved_rows("fact", rows, scores.repeat(sizes), whys, reader))
    for size in sizes:
        yield list(islice(found, size))
