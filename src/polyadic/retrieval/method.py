"""A method: a named way from a question to knowledge (Table 1 of the papers compares them)."""

from typing import Protocol

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.storage.protocol import Reader


class Method(Protocol):
    """Finds knowledge for a question in one committed state of a store."""

    name: str

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        """Knowledge for the question, best first, at most ``context_tokens`` tokens of it."""
