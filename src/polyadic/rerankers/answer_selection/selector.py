"""Score sentences as answers to a question by the cross-encoder for answer sentence selection."""

import asyncio
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.checksums import SAFETENSORS_SHA256, TOKENIZER_SHA256, read_verified, verify_checksums
from polyadic.embeddings.minilm.graph_cache import cached
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.rerankers.answer_selection.adapter import adapter_digest

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from polyadic.rerankers.answer_selection.pairs import PairTokenizer

# Increment whenever a change of graph.py changes the graph; other versions are not used.
_GRAPH_VERSION = 1
_LARGEST = 30.0


class AnswerSelector:
    """A cross-encoder that judges whether a sentence answers a question, in English.

    It is built from the weights of the embedder all-MiniLM-L6-v2 on first use, in some seconds, and kept in the cache
    folder.

    Parameters
    ----------
    weights
        The embedder's files, with ``model.safetensors``.
    """

    def __init__(self, weights: ModelFiles) -> None:
        self._weights = weights
        self._loading = Lock()
        self._loaded: tuple[PairTokenizer, InferenceSession] | None = None

    async def scores(self, question: str, sentences: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Score sentences as answers to a question.

        Parameters
        ----------
        question
            The question.
        sentences
            For each sentence its context (titles and headings, or an empty string) and its text.

        Returns
        -------
        array of float, shape (sentences,)
            Log-odds that each sentence answers the question, in [-30, 30].

        Raises
        ------
        WeightsAltered
            The weights do not match their checksum.
        """
        if not sentences:
            return np.zeros(0)
        return await asyncio.to_thread(self._scores, question, sentences)

    def _scores(self, question: str, sentences: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        tokenizer, session = self._model()
        logits = session.run(["logits"], tokenizer.inputs(question, sentences))[0]
        return np.clip(np.asarray(logits, np.float64).ravel(), -_LARGEST, _LARGEST)

    def _model(self) -> "tuple[PairTokenizer, InferenceSession]":
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "tuple[PairTokenizer, InferenceSession]":
        from polyadic.embeddings.minilm.onnx_session import open_int8_session
        from polyadic.embeddings.minilm.tokenizer import WordPiece
        from polyadic.rerankers.answer_selection.pairs import PairTokenizer

        file = self._weights.network.resolve()
        verify_checksums(file, SAFETENSORS_SHA256)
        tokenizer = PairTokenizer(WordPiece(read_verified(self._weights.tokenizer, TOKENIZER_SHA256)))

        def build() -> bytes:
            from polyadic.rerankers.answer_selection.graph import build_selection_graph

            return build_selection_graph(file, tokenizer)

        made_from = f"{_GRAPH_VERSION}\n{adapter_digest()}\n{SAFETENSORS_SHA256}\n{file.name}"
        graph = cached("answer-selection", made_from, build)
        return tokenizer, open_int8_session(graph, file.parent)
