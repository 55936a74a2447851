"""Method ``none``: no knowledge; the language model answers alone (the papers' first baseline)."""

from dataclasses import replace

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.token_budget import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader


class NoRetrieval:
    """Retrieve nothing."""

    name = "none"

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        return replace(knowledge(question, self.name, (), context_tokens, Trace()), retrieves=False)
