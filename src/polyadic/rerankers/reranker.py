"""Protocol for rerankers."""

from collections.abc import Sequence
from typing import Protocol

from polyadic.model.types import Usage


class Reranker(Protocol):
    """A reranking model, also called a cross-encoder.

    Attributes
    ----------
    name
        Display name of the model.
    """

    name: str

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Score the relevance of each passage to the question.

        Parameters
        ----------
        question
            The question.
        passages
            Texts of the passages.

        Returns
        -------
        list of float
            One score per passage, higher is better; comparable within one call.

        Raises
        ------
        ModelUnavailable
            The model is unavailable, or returned no scores.
        """
        ...

    def take_usage(self) -> tuple[Usage, float]:
        """Return cost and seconds since the last call of this method; nothing for a local model."""
        ...

    async def close(self) -> None:
        """Close connections; the next call opens new ones."""
        ...
