"""An embedding model behind an endpoint that speaks the OpenAI protocol."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.errors import ModelUnavailable, PolyadicError
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
        tasks = [asyncio.create_task(self._embed(texts[start : start + _TEXTS_IN_A_CALL])) for start in starts]
        try:
            found = await asyncio.gather(*tasks)
        finally:
            # Where one call fails the others are in vain.
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return np.concatenate(found) if found else np.zeros((0, self.dimension), np.float32)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, in the vocabulary of OpenAI's models."""
        return count_tokens(texts)

    async def close(self) -> None:
        await self._endpoint.close()

    async def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import openai

        from polyadic.models.endpoint_errors import explained, no_reply

        asked = [_sendable(text, self.window) for text in texts]
        tokens = sum(count_tokens(asked)) if self._endpoint.settings.tokens_per_minute else 0
        problem: PolyadicError
        try:
            async with self._endpoint.turn(tokens) as client:
                reply = await client.embeddings.create(model=self.name, input=asked, encoding_format="float")
            return self._vectors(_rows(reply), len(texts))
        except openai.OpenAIError as error:
            problem = explained(error, self._endpoint, self.name)
        except RecursionError:
            problem = no_reply(self._endpoint)
        except (ValueError, TypeError) as error:
            # The client says so where there are no vectors in the reply, or no reply at all.
            what = f"{self._endpoint.address} sent something that is no vectors ({self._endpoint.quoted(str(error))})"
            problem = ModelUnavailable(what, f"check base_url and name under [{self._endpoint.section}]")
        # Without its vector nothing can be stored or asked: no single text can be passed over. What the endpoint said
        # is not kept as the cause, since it may repeat the key.
        raise ModelUnavailable(problem.what, problem.next_step) from None

    def _vectors(self, rows: list[Any], expected: int) -> NDArray[np.float32]:
        """Raises ValueError or TypeError where these are not as many vectors of the usual length."""
        if len(rows) != expected:
            raise ValueError(f"{len(rows)} for {expected} texts")
        with np.errstate(over="ignore"):
            vectors = np.array(rows, np.float32)
        if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise ValueError("not lists of numbers, all of one length")
        if self.dimension and vectors.shape[1] != self.dimension:
            raise ValueError(f"of {vectors.shape[1]} numbers, and before of {self.dimension}")
        self.dimension = vectors.shape[1]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        # Of a text that says nothing some models make no direction; it has to have one.
        vectors[norms[:, 0] == 0, 0] = 1
        return np.asarray(vectors / np.where(norms == 0, 1, norms), np.float32)


def _rows(reply: Any) -> list[Any]:
    """The vectors in the order of their texts, which a reply numbers."""
    items = getattr(reply, "data", None)
    if not isinstance(items, list):
        raise ValueError("no list of them")
    numbers = [getattr(item, "index", None) for item in items]
    if sorted(n for n in numbers if isinstance(n, int)) == list(range(len(items))):
        items = sorted(items, key=lambda item: item.index)
    return [getattr(item, "embedding", None) for item in items]


def _sendable(text: str, window: int) -> str:
    """What is sent of a text: as much as the model embeds; a space for an empty one, which endpoints refuse.

    >>> _sendable("one two three four", 2), _sendable("", 2)
    ('one two', ' ')
    """
    text = text.encode("utf-8", "replace").decode("utf-8") if text.strip() else " "
    # A token has at least one byte, so most texts need no counting.
    if len(text.encode()) <= window or count_tokens([text])[0] <= window:
        return text
    return text[: bisect_right(range(len(text)), window, key=lambda end: count_tokens([text[:end]])[0]) - 1]
