"""A method under another name, with other settings: an ablation."""

from dataclasses import replace

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.method import Method
from polyadic.storage.protocol import Reader


class AblatedMethod:
    """Implements Method: what another method finds, told as found by this name."""

    def __init__(self, name: str, method: Method) -> None:
        self.name = name
        self._method = method

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        found = await self._method.retrieve(question, reader, embedder, context_tokens)
        return replace(found, method=self.name)
