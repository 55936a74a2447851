"""What turns texts into vectors, and which of them the settings name."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyadic.settings import EmbeddingSettings


class Embedder(Protocol):
    """One embedding model.

    Attributes
    ----------
    name
        The stamp of the vector space: vectors of two embedders may be compared only if their names are equal.
    dimension
        Length of a vector.
    window
        How many tokens of a text count, special tokens not included; what comes after them is ignored.
    unrelated_below
        The cosine under which a sentence and a question have, as a rule, nothing to do with each other.
    """

    name: str
    dimension: int
    window: int
    unrelated_below: float

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, in their order: shape (n, dimension), each row of length 1; n may be 0.

        The model is loaded by the first call. It computes on other threads, so the event loop stays free.

        Raises
        ------
        WeightsAltered
            The model's weights are not the genuine ones.
        """
        ...

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, however long it is, special tokens not included."""
        ...


def load_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder that the settings name. This is cheap: weights are sought now, and loaded when first used.

    >>> load_embedder(EmbeddingSettings(model="hashing")).name
    'hashing-384'

    Raises
    ------
    WeightsMissing
        The model needs weights, and they are nowhere on this machine.
    """
    if settings.model == "hashing":
        from polyadic.models.hashing import HashingEmbedder

        return HashingEmbedder()
    from polyadic.models.minilm import MiniLM
    from polyadic.models.weights import find_weights

    return MiniLM(find_weights(settings.folder), settings.threads)


def embedding_space(settings: EmbeddingSettings) -> tuple[str, int]:
    """Name and dimension of the vector space that the settings name, without needing its weights.

    >>> embedding_space(EmbeddingSettings())
    ('all-MiniLM-L6-v2', 384)
    """
    return ("hashing-384", 384) if settings.model == "hashing" else ("all-MiniLM-L6-v2", 384)
