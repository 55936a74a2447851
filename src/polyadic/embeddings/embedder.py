"""Protocol for embedding models."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Usage


class Embedder(Protocol):
    """An embedding model.

    Attributes
    ----------
    name
        Identifies the vector space: vectors of two embedders are comparable only if their names are equal.
    dimension
        Length of a vector; 0 until an endpoint's model has replied for the first time.
    window
        Number of tokens of a text that are embedded, without special tokens; the rest is ignored.
    unrelated_below
        Cosine below which a sentence and a question are usually unrelated.
    spent
        Cost of all calls to an endpoint since this was loaded; nothing for a local model.
    """

    name: str
    dimension: int
    window: int
    unrelated_below: float
    spent: Usage

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, one vector each, in order.

        The first call loads the model. The computation runs in other threads, so the event loop is not blocked.

        Parameters
        ----------
        texts
            The n texts; n may be 0.

        Returns
        -------
        NDArray
            Array of shape (n, dimension), each row of length 1.

        Raises
        ------
        WeightsAltered
            The model's weights do not match their checksum.
        ModelUnavailable
            The endpoint's model is unavailable.
        """
        ...

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, not limited by ``window``, without special tokens."""
        ...

    def cost(self, texts: int, tokens: int) -> Usage:
        """Estimate what an endpoint charges for ``texts`` texts with ``tokens`` tokens in total, without calling it.

        A local model has no calls at all.
        """
        ...

    def take_usage(self) -> tuple[Usage, float]:
        """Return the cost and the seconds since the last call of this method; the caller records them in the ledger.

        Nothing for a local model.
        """
        ...

    async def close(self) -> None:
        """Close connections; the next call opens new ones."""
        ...
