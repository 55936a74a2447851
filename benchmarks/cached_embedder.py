"""An embedder that computes the vector of each text once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.embedder import Embedder


class CachedEmbedder:
    """An embedder that caches vectors by text.

    A vector does not depend on the other texts of a call, so each is the one that would be computed again.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, as Embedder.embed."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= dict(zip(new, await self._embedder.embed(new), strict=True))
        return np.array([self._vectors[text] for text in texts], np.float32).reshape(len(texts), self.dimension)
