"""Method ``chunks``: the passages most similar to the question (the papers' StandardRAG)."""

from polyadic.config import ChunksSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.items import retrieved_rows, similar
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader


class Chunks:
    """Retrieve the passages nearest to the question by embedding."""

    name = "chunks"

    def __init__(self, settings: ChunksSettings) -> None:
        self._settings = settings

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        vector = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        hits = reader.nearest("chunk", vector, self._settings.passages)
        near = retrieved_rows("chunk", hits.rows, hits.scores, similar(hits.scores.tolist()), reader)
        trace.done("nearest", f"{len(near)} passages")
        return knowledge_of(question, self.name, near, context_tokens, trace, reader)
