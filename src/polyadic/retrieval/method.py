"""Protocol for retrieval methods: from a question to knowledge (Table 1 of the papers compares them)."""

from typing import Protocol

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge
from polyadic.storage.protocol import Reader


class Method(Protocol):
    """A retrieval method; works on one committed state of a store."""

    name: str

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        """Retrieve knowledge for a question.

        Parameters
        ----------
        question
            The question.
        reader
            A committed state of the store.
        embedder
            The embedder of the store's vectors.
        context_tokens
            Token budget.

        Returns
        -------
        Knowledge
            Items, best first, with at most ``context_tokens`` tokens in total.
        """
