"""Ablation: a method with other settings under a name of its own."""

from dataclasses import replace

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.retrieval.method import Method
from polyadic.storage.protocol import Reader


class AblatedMethod:
    """A method under another name: same results, reported under that name."""

    def __init__(self, name: str, method: Method) -> None:
        self.name = name
        self._method = method

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        knowledge = await self._method.retrieve(question, reader, embedder, context_tokens)
        return replace(knowledge, method=self.name)
