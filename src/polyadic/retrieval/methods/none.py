"""Method ``none``: no knowledge; the language model answers alone (the papers' first baseline)."""

from dataclasses import replace

from polyadic.knowledge import Knowledge
from polyadic.models.embedder import Embedder
from polyadic.retrieval.fit import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.store.protocol import Reader


class Nothing:
    """Implements Method."""

    name = "none"

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        return replace(knowledge(question, self.name, (), context_tokens, Trace()), sought=False)
