"""Embed texts with a pool of Ray actors, on GPUs if the cluster has some."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.embeddings.loading import load_embedder
from polyadic.errors import PolyadicError
from polyadic.indexing.ray.worker_env import WorkerEnvironment
from polyadic.model.types import Usage


class EmbeddingActor:
    """One actor of the pool, which runs the configured embedder."""

    def __init__(self, settings: EmbeddingSettings, worker_env: WorkerEnvironment) -> None:
        worker_env.enter()
        self._embedder = load_embedder(settings)

    async def embed(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], int, Usage, float]:
        """Return the vectors, their dimension, and the usage and seconds since the last call."""
        vectors = await self._embedder.embed(texts)
        return vectors, self._embedder.dimension, *self._embedder.take_usage()


class PooledEmbedder:
    """Embedder that sends texts to the actors of a pool in round-robin order.

    Parameters
    ----------
    known
        The same embedder on this host, used for everything except vectors.
    pool
        Actors of :class:`EmbeddingActor`; Ray restarts an actor that dies, on another host if necessary.
    """

    def __init__(self, known: Embedder, pool: Sequence[Any]) -> None:
        self.name = known.name
        self.dimension = known.dimension
        self.window = known.window
        self.unrelated_below = known.unrelated_below
        self.spent = Usage()
        self._known = known
        self._next = itertools.cycle(pool)
        self._paid, self._seconds = Usage(), 0.0

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As :meth:`polyadic.embeddings.embedder.Embedder.embed`."""
        from ray.exceptions import RayTaskError

        vectors: NDArray[np.float32]
        try:
            vectors, self.dimension, paid, seconds = await next(self._next).embed.remote(list(texts))
        except RayTaskError as error:
            if isinstance(error.cause, PolyadicError):
                raise error.cause from None
            raise
        self.spent += paid
        self._paid += paid
        self._seconds += seconds
        return vectors

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        return self._known.token_counts(texts)

    def cost(self, texts: int, tokens: int) -> Usage:
        return self._known.cost(texts, tokens)

    def take_usage(self) -> tuple[Usage, float]:
        taken = self._paid, self._seconds
        self._paid, self._seconds = Usage(), 0.0
        return taken

    async def close(self) -> None:
        await self._known.close()
