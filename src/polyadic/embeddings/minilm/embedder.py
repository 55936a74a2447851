"""The default embedder: all-MiniLM-L6-v2 on this machine, without torch."""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.checksums import TOKENIZER_SHA256, read_verified
from polyadic.embeddings.minilm.weights import INT8_MODEL, MODEL, ModelFiles
from polyadic.llm.call_tracing import local_embeddings_span
from polyadic.model.types import Usage

if TYPE_CHECKING:
    from polyadic.embeddings.minilm.onnx_session import OnnxSession
    from polyadic.embeddings.minilm.tokenizer import WordPiece

# Texts that are tokenized, sorted by length and computed together: a few seconds of work, so that a cancelled
# call soon ends, and enough of it that hardly any padding is left.
_TEXTS_AT_ONCE = 1024
# Tokens of a batch: with fewer it is slower; with more, what one step leaves is no longer in the processor's own cache
# when the next one reads it, and threads wait longer for the last batch.
_BATCH_TOKENS, _FEWEST_TOKENS = 384, 256


class MiniLM:
    """all-MiniLM-L6-v2 (Apache-2.0): 384 dimensions, made for sentences and short passages, mainly English.

    The network and the tokenizer are loaded by the first call that needs them. A text's vector does not
    depend on the texts that it is embedded with, but for rounding in the seventh digit.

    Parameters
    ----------
    weights
        The model's files, as ``find_weights`` finds them.
    threads
        How many processor threads may compute at once; all of this process's processors if not given.
    int8
        Compute in whole numbers of eight bits where most of the work is: more than twice as fast, vectors about 0.999
        alike to those of float32. They have a name of their own, as all vectors of a store are to come from one model.
    """

    dimension: int = 384
    window: int = 254
    # Chosen on the even-numbered questions of two sets, asked of their own corpus and of the other one:
    # docs/quality.md shows how many of each it tells apart.
    unrelated_below: float = 0.49
    spent: Usage = Usage()

    def __init__(self, weights: ModelFiles, threads: int | None = None, *, int8: bool = False) -> None:
        self.name = INT8_MODEL if int8 else MODEL
        self._weights = weights
        self._int8 = int8
        self._threads = threads or _processors()
        self._loading = Lock()
        self._tokenizer: WordPiece | None = None
        self._network: OnnxSession | None = None
        self._workers = ThreadPoolExecutor(self._threads, thread_name_prefix="polyadic-minilm")

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, in their order: shape (n, 384), each row of length 1.

        Raises
        ------
        WeightsAltered
            The weights are not the genuine ones.
        """
        vectors = np.empty((len(texts), self.dimension), np.float32)
        with local_embeddings_span(self.name, self.dimension, len(texts)):
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                part = slice(start, start + _TEXTS_AT_ONCE)
                await asyncio.to_thread(self._embed, texts[part], vectors[part])
        return vectors

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, however long it is, special tokens not included.

        Raises
        ------
        WeightsAltered
            The tokenizer is not the genuine one.
        """
        return self._loaded_tokenizer().lengths(texts)

    def take_paid(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    def cost(self, texts: int, tokens: int) -> Usage:
        """Nothing: no call is made."""
        return Usage()

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _embed(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        ids = self._loaded_tokenizer().ids(texts, self.window)
        network = self._loaded_network()

        def compute(rows: list[int]) -> None:
            vectors[rows] = network.vectors([ids[row] for row in rows])

        batches = _batches([len(row) for row in ids], self._threads)
        if len(batches) == 1:
            compute(batches[0])
        else:
            list(self._workers.map(compute, batches))

    def _loaded_tokenizer(self) -> "WordPiece":
        with self._loading:
            if self._tokenizer is None:
                from polyadic.embeddings.minilm.tokenizer import WordPiece

                self._tokenizer = WordPiece(read_verified(self._weights.tokenizer, TOKENIZER_SHA256))
            return self._tokenizer

    def _loaded_network(self) -> "OnnxSession":
        with self._loading:
            if self._network is None:
                from polyadic.embeddings.minilm.onnx_session import OnnxSession

                self._network = OnnxSession(self._weights, int8=self._int8)
            return self._network


def _batches(lengths: Sequence[int], threads: int) -> list[list[int]]:
    """Rows of similar length together, the longest first, so that the threads finish about the same time."""
    most = max(_FEWEST_TOKENS, min(_BATCH_TOKENS, sum(lengths) // threads))
    batches: list[list[int]] = []
    longest = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        if not batches or (len(batches[-1]) + 1) * longest > most:
            batches.append([])
            longest = lengths[row]
        batches[-1].append(row)
    return batches


def _processors() -> int:
    # Those that this process may use, where the system tells (Linux), rather than all that there are.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
