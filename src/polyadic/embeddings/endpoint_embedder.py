"""An embedding model behind an endpoint that speaks the OpenAI protocol."""

import asyncio
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.config import EmbeddingSettings
from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.llm.call_tracing import embeddings_span, tell_of_vectors
from polyadic.llm.endpoint import Endpoint
from polyadic.llm.endpoint_reply import model_of, reported
from polyadic.model.types import Usage
from polyadic.text.tokens import count_tokens

_TEXTS_IN_A_CALL = 128
# OpenAI takes 300,000, counted in a vocabulary that cuts a little finer.
_TOKENS_IN_A_CALL = 250_000
_PRICED_TOKENS = 1_000_000
# Of a call with several texts these may mean that they are too many, or too long together; the words for it differ.
_TOO_MUCH = (400, 413, 422)


class _TooMuch(Exception):
    """So many texts at once are refused; fewer may do."""


class EndpointEmbedder:
    """Implements Embedder; vectors are brought to length 1.

    An endpoint that refuses a call of several texts is sent half as many, and from then on no more than it took.

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
        self.spent = Usage()
        self._taken = Usage()
        self._seconds = 0.0
        self._endpoint = Endpoint(settings, "embedding")
        self._prompt_price = settings.prompt_price
        self._most = _TEXTS_IN_A_CALL

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, in their order: shape (n, d), each row of length 1.

        Raises
        ------
        ModelUnavailable
            The endpoint, the key or the model is not to be had, or what it sent are no vectors.
        """
        asked = [_sendable(text, self.window) for text in texts]
        calls = _calls(asked, count_tokens(asked), self._most)
        tasks = [asyncio.create_task(self._embed(call)) for call in calls]
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

    def cost(self, texts: int, tokens: int) -> Usage:
        """About what the endpoint would be paid for so many texts of so many tokens together; it is not asked."""
        return self._usage(math.ceil(max(texts / self._most, tokens / _TOKENS_IN_A_CALL)), tokens)

    def take_paid(self) -> tuple[Usage, float]:
        paid = self.spent - self._taken, self._seconds
        self._taken, self._seconds = self.spent, 0.0
        return paid

    async def close(self) -> None:
        await self._endpoint.close()

    async def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts that fit a call, or that are sent in as many as they take."""
        try:
            return await self._asked(texts)
        except _TooMuch:
            half = len(texts) // 2
        # One after the other: where it is one text that is refused, the rest need not be paid.
        vectors = [await self._embed(part) for part in (texts[:half], texts[half:])]
        self._most = min(self._most, len(texts) - half)
        return np.concatenate(vectors)

    async def _asked(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import openai

        from polyadic.llm.endpoint_errors import no_reply, translate_errors

        tokens = sum(count_tokens(texts))
        problem: PolyadicError
        try:
            async with self._endpoint.turn(tokens) as client:
                started = perf_counter()
                with embeddings_span(self._endpoint, self.name, len(texts)) as told:
                    reply = await client.embeddings.create(model=self.name, input=[*texts], encoding_format="float")
                    paid = reported(reply, "prompt_tokens") or tokens
                    tell_of_vectors(told, model_of(reply), paid)
            rows = _rows(reply)
            self.spent += self._usage(1, paid)
            self._seconds += perf_counter() - started
            return self._vectors(rows, len(texts))
        except openai.OpenAIError as error:
            if len(texts) > 1 and getattr(error, "status_code", 0) in _TOO_MUCH:
                raise _TooMuch from None
            problem = translate_errors(error, self._endpoint, self.name)
        except RecursionError:
            problem = no_reply(self._endpoint)
        except (ValueError, TypeError) as error:
            # The client says so where there are no vectors in the reply, or no reply at all.
            what = f"{self._endpoint.address} sent something that is no vectors ({self._endpoint.quoted(str(error))})"
            problem = ModelUnavailable(what, f"check base_url and name under [{self._endpoint.section}]")
        # Without its vector nothing can be stored or asked: no single text can be passed over. What the endpoint said
        # is not kept as the cause, since it may repeat the key.
        raise ModelUnavailable(problem.what, problem.next_step) from None

    def _usage(self, calls: int, tokens: int) -> Usage:
        return Usage(calls, tokens, 0, tokens * self._prompt_price / _PRICED_TOKENS)

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


def _calls(texts: Sequence[str], tokens: Sequence[int], most: int) -> Iterator[Sequence[str]]:
    """The texts in their order, no more than so many in a call, nor more tokens than an endpoint takes at once.

    >>> list(_calls(["a", "b", "c", "d"], [1, 1, 249_999, 1], 3))
    [['a', 'b'], ['c', 'd']]
    """
    start = held = 0
    for end, length in enumerate(tokens):
        if end - start == most or (end > start and held + length > _TOKENS_IN_A_CALL):
            yield texts[start:end]
            start, held = end, 0
        held += length
    if texts:
        yield texts[start:]


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
