"""Score pairs of texts by a cross-encoder."""

import asyncio
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.checksums import SAFETENSORS_SHA256, TOKENIZER_SHA256, read_verified, verify_checksums
from polyadic.embeddings.minilm.graph_cache import cached
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.rerankers.pair_scoring.adapter import adapter_digest
from polyadic.rerankers.pair_scoring.models import PairModel

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from polyadic.rerankers.pair_scoring.pairs import PairTokenizer

# Increment whenever a change of graph.py changes the graph; other versions are not used.
_GRAPH_VERSION = 1
_LARGEST = 30.0


class PairScorer:
    """A cross-encoder for English texts.

    It is built from the weights of the embedder all-MiniLM-L6-v2 on first use, in some seconds, and kept in the cache
    folder.

    Parameters
    ----------
    weights
        The embedder's files, with ``model.safetensors``.
    model
        What it judges.
    """

    def __init__(self, weights: ModelFiles, model: PairModel) -> None:
        self._weights = weights
        self._model = model
        self._loading = Lock()
        self._loaded: tuple[PairTokenizer, InferenceSession] | None = None

    async def scores(self, first: str, seconds: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Score pairs with the same first text.

        Parameters
        ----------
        first
            A question, or a claim.
        seconds
            Sentences that may answer or support it, each after its context (titles and headings, or an empty string).

        Returns
        -------
        array of float, shape (seconds,)
            Log-odds that each does, in [-30, 30].

        Raises
        ------
        WeightsAltered
            The weights do not match their checksum.
        """
        if not seconds:
            return np.zeros(0)
        return await asyncio.to_thread(self._scores, first, seconds)

    def _scores(self, first: str, seconds: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        tokenizer, session = self._tools()
        logits = session.run(["logits"], tokenizer.inputs(first, seconds))[0]
        return np.clip(np.asarray(logits, np.float64).ravel(), -_LARGEST, _LARGEST)

    def _tools(self) -> "tuple[PairTokenizer, InferenceSession]":
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "tuple[PairTokenizer, InferenceSession]":
        from polyadic.embeddings.minilm.onnx_session import open_int8_session
        from polyadic.embeddings.minilm.tokenizer import WordPiece
        from polyadic.rerankers.pair_scoring.pairs import PairTokenizer

        file, adapter = self._weights.network.resolve(), self._model.adapter
        verify_checksums(file, SAFETENSORS_SHA256)
        tokenizer = PairTokenizer(WordPiece(read_verified(self._weights.tokenizer, TOKENIZER_SHA256)), self._model)

        def build() -> bytes:
            from polyadic.rerankers.pair_scoring.graph import build_pair_graph

            return build_pair_graph(file, adapter, tokenizer)

        made_from = f"{_GRAPH_VERSION}\n{adapter_digest(adapter)}\n{SAFETENSORS_SHA256}\n{file.name}"
        graph = cached(adapter.replace("_", "-"), made_from, build)
        return tokenizer, open_int8_session(graph, file.parent)
