"""Default embedder: all-MiniLM-L6-v2 on this machine, without torch."""

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

# Texts that are tokenized, sorted by length and computed together: few enough to take only some seconds, so that a
# cancelled call ends soon, and enough that hardly any padding is needed.
_TEXTS_AT_ONCE = 1024
# Tokens of a batch: smaller batches are slower; with larger ones, intermediate results no longer fit into the
# processor's cache, and threads wait longer for the last batch.
_BATCH_TOKENS, _FEWEST_TOKENS = 384, 256


class MiniLM:
    """all-MiniLM-L6-v2 (Apache-2.0): 384 dimensions, trained on sentences and short passages, mainly English.

    The network and the tokenizer are loaded by the first call that needs them. A text's vector does not depend on the
    other texts of a call, except for rounding in the seventh digit.

    Parameters
    ----------
    weights
        The model's files, as returned by ``find_weights``.
    threads
        Number of processor threads; by default all processors available to this process.
    int8
        Quantize the matrix products to eight bits: more than twice as fast, with a cosine of about 0.999 to the float32
        vectors. The model then has another name, because all vectors of a store have to come from one model.
    """

    dimension: int = 384
    window: int = 254
    # Chosen on the even-numbered questions of two data sets, each queried on its own corpus and on the other one;
    # docs/quality.md has the resulting error rates.
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
        """Embed texts, one vector each, in order: shape (n, 384), each row of length 1.

        Raises
        ------
        WeightsAltered
            The weights do not match their checksum.
        """
        vectors = np.empty((len(texts), self.dimension), np.float32)
        with local_embeddings_span(self.name, self.dimension, len(texts)):
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                part = slice(start, start + _TEXTS_AT_ONCE)
                await asyncio.to_thread(self._embed, texts[part], vectors[part])
        return vectors

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, not limited by ``window``, without special tokens.

        Raises
        ------
        WeightsAltered
            The tokenizer does not match its checksum.
        """
        return self._loaded_tokenizer().token_counts(texts)

    def take_usage(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    def cost(self, texts: int, tokens: int) -> Usage:
        """Return no cost: no call is made."""
        return Usage()

    async def close(self) -> None:
        """Do nothing: there are no connections."""

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
    """Group rows of similar length, longest first, so that the threads finish at about the same time."""
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
    # The processors that this process may use, if the system reports them (Linux), else all.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
