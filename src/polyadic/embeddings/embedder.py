"""What turns texts into vectors; any model stands behind one small protocol."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyadic.model.types import Usage


class Embedder(Protocol):
    """One embedding model.

    Attributes
    ----------
    name
        The stamp of the vector space: vectors of two embedders may be compared only if their names are equal.
    dimension
        Length of a vector; 0 as long as an endpoint's model has not been asked.
    window
        How many tokens of a text count, special tokens not included; what comes after them is ignored.
    unrelated_below
        The cosine under which a sentence and a question have, as a rule, nothing to do with each other.
    spent
        What an endpoint was paid since this was loaded, for whatever purpose; nothing for a model on this machine.
    """

    name: str
    dimension: int
    window: int
    unrelated_below: float
    spent: Usage

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, in their order: shape (n, dimension), each row of length 1; n may be 0.

        The model is loaded by the first call. It computes on other threads, so the event loop stays free.

        Raises
        ------
        WeightsAltered
            The model's weights are not the genuine ones.
        ModelUnavailable
            An endpoint's model is not to be had.
        """
        ...

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, however long it is, special tokens not included."""
        ...

    def cost(self, texts: int, tokens: int) -> Usage:
        """About what an endpoint would be paid for so many texts of so many tokens together; it is not asked.

        No calls at all for a model on this machine.
        """
        ...

    def take_paid(self) -> tuple[Usage, float]:
        """What was paid since this was last asked, and the seconds that it took: whoever asks enters it in the ledger.

        Nothing for a model on this machine.
        """
        ...

    async def close(self) -> None:
        """Let go of connections; the next call opens new ones."""
        ...
