"""What judges how well passages answer a question; any model stands behind one small protocol."""

from collections.abc import Sequence
from typing import Protocol

from polyadic.model.types import Usage


class Reranker(Protocol):
    """One reranking model, also called a cross-encoder.

    Attributes
    ----------
    name
        The model's name, for people.
    """

    name: str

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How relevant each passage is to the question, higher is better; comparable within one call.

        Raises
        ------
        ModelUnavailable
            The model is not to be had, or what it sent are no scores.
        """
        ...

    def take_paid(self) -> tuple[Usage, float]:
        """What was paid since this was last asked, and the seconds that it took; nothing for a local model."""
        ...

    async def close(self) -> None:
        """Let go of connections; the next call opens new ones."""
        ...
