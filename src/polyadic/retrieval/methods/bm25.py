"""Method ``bm25``: the passages that match the words of the question best (Robertson and Zaragoza, 2009).

Beside the words themselves, their beginnings are searched for (inflected forms, German compounds), and pairs of
characters where a language writes no spaces. Function words are left out.
"""

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.items import retrieved_rows
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader

_MOST = 20


class BM25:
    """Implements Method."""

    name = "bm25"

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        hits = reader.search(question, _MOST)
        reasons = [f"matches words of the question (BM25 {score:.1f})" for score in hits.scores.tolist()]
        passages = retrieved_rows("chunk", hits.rows, hits.scores, reasons, reader)
        trace.done("search", f"{len(passages)} passages")
        return knowledge_of(question, self.name, passages, context_tokens, trace, reader)
