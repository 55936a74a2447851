"""Method ``chunks``: the passages most similar to the question (the papers' StandardRAG)."""

from polyadic.knowledge import Knowledge
from polyadic.models.embedder import Embedder
from polyadic.retrieval.fit import knowledge_of
from polyadic.retrieval.items import found, similar
from polyadic.retrieval.trace import Trace
from polyadic.store.protocol import Reader

_MOST = 20
"""More than the papers' five: the budget of tokens decides how many are read."""


class Chunks:
    """Implements Method."""

    name = "chunks"

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        vector = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        hits = reader.nearest("chunk", vector, _MOST)
        near = found("chunk", hits.rows, hits.scores, similar(hits.scores.tolist()), reader)
        trace.done("nearest", f"{len(near)} passages")
        return knowledge_of(question, self.name, near, context_tokens, trace, reader)
