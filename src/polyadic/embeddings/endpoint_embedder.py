"""Embedding model behind an OpenAI-compatible endpoint."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.concurrency.task_group import task_group
from polyadic.config import EmbeddingSettings
from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.llm.call_tracing import embeddings_span, set_embedding_attributes
from polyadic.llm.endpoint_connection import Endpoint
from polyadic.llm.endpoint_reply import model_of, reported
from polyadic.model.types import Usage
from polyadic.text.encodable import encodable
from polyadic.text.tokens import count_tokens

_TEXTS_IN_A_CALL = 128
# OpenAI accepts 300,000, counted with a tokenizer that splits a little finer.
_TOKENS_IN_A_CALL = 250_000
_PRICED_TOKENS = 1_000_000
# For a call with several texts, these statuses may mean too many texts or tokens; the messages differ.
_TOO_MUCH = (400, 413, 422)


class _TooMuch(Exception):
    """The endpoint rejected a call with several texts; a smaller call may succeed."""


class EndpointEmbedder:
    """An Embedder behind an endpoint; vectors are normalized to length 1.

    If the endpoint rejects a call with several texts, the call is split in half, and later calls are no larger than
    those it accepted.

    Parameters
    ----------
    name
        Name of the model at the endpoint.
    settings
        Address, limits and window of the model.
    """

    def __init__(self, name: str, settings: EmbeddingSettings) -> None:
        self.name = name
        self.dimension = 0
        self.window = settings.window
        self.unrelated_below = settings.unrelated_below
        self.spent = Usage()
        self._reported = Usage()
        self._seconds = 0.0
        self._endpoint = Endpoint(settings, "embedding")
        self._prompt_price = settings.prompt_price
        self._most = _TEXTS_IN_A_CALL

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, one vector each, in order: shape (n, d), each row of length 1.

        Raises
        ------
        ModelUnavailable
            The endpoint, the key or the model is unavailable, or the reply contains no valid vectors.
        """
        inputs = [_sendable(text, self.window) for text in texts]
        calls = _calls(inputs, count_tokens(inputs), self._most)
        # If one call fails, the others are useless.
        async with task_group() as group:
            tasks = [group.create_task(self._embed(call)) for call in calls]
        vectors = [task.result() for task in tasks]
        return np.concatenate(vectors) if vectors else np.zeros((0, self.dimension), np.float32)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, counted with OpenAI's tokenizer."""
        return count_tokens(texts)

    def cost(self, texts: int, tokens: int) -> Usage:
        """Estimate the cost of ``texts`` texts with ``tokens`` tokens in total, without a call."""
        return self._usage(math.ceil(max(texts / self._most, tokens / _TOKENS_IN_A_CALL)), tokens)

    def take_usage(self) -> tuple[Usage, float]:
        paid = self.spent - self._reported, self._seconds
        self._reported, self._seconds = self.spent, 0.0
        return paid

    async def close(self) -> None:
        await self._endpoint.close()

    async def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed the texts of one call, splitting the call while the endpoint rejects it as too large."""
        try:
            return await self._request(texts)
        except _TooMuch:
            half = len(texts) // 2
        # Sequentially: if a single text is rejected, the rest need not be paid.
        vectors = [await self._embed(part) for part in (texts[:half], texts[half:])]
        self._most = min(self._most, len(texts) - half)
        return np.concatenate(vectors)

    async def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import openai

        from polyadic.llm.endpoint_errors import no_reply, translate_errors

        tokens = sum(count_tokens(texts))
        problem: PolyadicError
        try:
            async with self._endpoint.turn(tokens) as client:
                started = perf_counter()
                with embeddings_span(self._endpoint, self.name, len(texts)) as trace_span:
                    reply = await client.embeddings.create(model=self.name, input=[*texts], encoding_format="float")
                    paid = reported(reply, "prompt_tokens") or tokens
                    set_embedding_attributes(trace_span, model_of(reply), paid)
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
            # The client raises these for a reply without vectors, or for no reply at all.
            what = f"{self._endpoint.address} sent something that is not vectors ({self._endpoint.quoted(str(error))})"
            problem = ModelUnavailable(what, f"check base_url and name under [{self._endpoint.section}]")
        # Without its vector a text can be neither stored nor searched, so no text can be skipped. The original error is
        # not kept as the cause, because the endpoint's message may repeat the key.
        raise ModelUnavailable(problem.what, problem.next_step) from None

    def _usage(self, calls: int, tokens: int) -> Usage:
        return Usage(calls, tokens, 0, tokens * self._prompt_price / _PRICED_TOKENS)

    def _vectors(self, rows: list[Any], expected: int) -> NDArray[np.float32]:
        """Convert rows to normalized vectors; raise ValueError or TypeError if count or length is wrong."""
        if len(rows) != expected:
            raise ValueError(f"{len(rows)} for {expected} texts")
        with np.errstate(over="ignore"):
            vectors = np.array(rows, np.float32)
        if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise ValueError("not lists of numbers, all of one length")
        if self.dimension and vectors.shape[1] != self.dimension:
            raise ValueError(f"{vectors.shape[1]} numbers, expected {self.dimension}")
        self.dimension = vectors.shape[1]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        # Some models return a zero vector for a text without words; it still needs a direction.
        vectors[norms[:, 0] == 0, 0] = 1
        return np.asarray(vectors / np.where(norms == 0, 1, norms), np.float32)


def _calls(texts: Sequence[str], tokens: Sequence[int], most: int) -> Iterator[Sequence[str]]:
    """Split texts into calls of at most ``most`` texts and the token limit of an endpoint, in order.

    >>> list(_calls(["a", "b", "c", "d"], [1, 1, 249_999, 1], 3))
    [['a', 'b'], ['c', 'd']]
    """
    start = total = 0
    for end, length in enumerate(tokens):
        if end - start == most or (end > start and total + length > _TOKENS_IN_A_CALL):
            yield texts[start:end]
            start, total = end, 0
        total += length
    if texts:
        yield texts[start:]


def _rows(reply: Any) -> list[Any]:
    """Return the vectors in the order of their texts, by the indices in the reply."""
    items = getattr(reply, "data", None)
    if not isinstance(items, list):
        raise ValueError("no list of vectors")
    numbers = [getattr(item, "index", None) for item in items]
    if sorted(n for n in numbers if isinstance(n, int)) == list(range(len(items))):
        items = sorted(items, key=lambda item: item.index)
    return [getattr(item, "embedding", None) for item in items]


def _sendable(text: str, window: int) -> str:
    """Cut a text to the window of the model; an empty text becomes a space, because endpoints reject empty texts.

    >>> _sendable("one two three four", 2), _sendable("", 2)
    ('one two', ' ')
    """
    text = encodable(text) if text.strip() else " "
    # A token has at least one byte, so most texts need no counting.
    if len(text.encode()) <= window or count_tokens([text])[0] <= window:
        return text
    return text[: bisect_right(range(len(text)), window, key=lambda end: count_tokens([text[:end]])[0]) - 1]
