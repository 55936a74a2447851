"""An embedding model behind an endpoint that speaks the OpenAI protocol."""

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.errors import ModelUnavailable
from polyadic.models.endpoint import Endpoint
from polyadic.models.tokens import count_tokens
from polyadic.settings import EmbeddingSettings

_TEXTS_IN_A_CALL = 128


class EndpointEmbedder:
    """Implements Embedder; vectors are brought to length 1.

    Parameters
    ----------
    name
        The model's name at the endpoint.
    settings
        Where it is, what it allows, how much of a text it embeds.
    """

    def __init__(self, name: str, settings: EmbeddingSettings) -> None:
        self.name = name
        self.dimension = 0
        self.window = settings.window
        self.unrelated_below = settings.unrelated_below
        self._endpoint = Endpoint(settings, "embedding")

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, in their order: shape (n, d), each row of length 1.

        Raises
        ------
        ModelUnavailable
            The endpoint, the key or the model is not to be had, or what it sent are no vectors.
        """
        starts = range(0, len(texts), _TEXTS_IN_A_CALL)
        parts = [texts[start : start + _TEXTS_IN_A_CALL] for start in starts]
        found = await asyncio.gather(*(self._embed(part) for part in parts))
        return np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, in the vocabulary of OpenAI's models."""
        return count_tokens(texts)

    async def close(self) -> None:
        await self._endpoint.close()

    async def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import openai

        # An endpoint refuses a text that is empty; a space stands for it.
        asked = [text if text.strip() else " " for text in texts]
        try:
            async with self._endpoint.turn(sum(map(len, texts)) // 4) as client:
                reply = await client.embeddings.create(model=self.name, input=asked, encoding_format="float")
        except openai.OpenAIError as error:
            from polyadic.models.endpoint_errors import explained

            problem = explained(error, self._endpoint, self.name)
            # Without its vector nothing can be stored or asked: no single text can be passed over.
            raise ModelUnavailable(problem.what, problem.next_step) from error
        return self._vectors([item.embedding for item in reply.data], len(texts))

    def _vectors(self, rows: list[list[float]], expected: int) -> NDArray[np.float32]:
        try:
            vectors = np.array(rows, np.float32).reshape(expected, -1)
        except ValueError as error:
            raise ModelUnavailable(f"{self._endpoint.address} sent {len(rows)} vectors for {expected} texts") from error
        self.dimension = vectors.shape[1]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms == 0, 1, norms), np.float32)
