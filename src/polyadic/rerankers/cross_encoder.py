"""Local cross-encoder: ``model.onnx`` and ``tokenizer.json`` in a folder, run by onnxruntime.

Exporters of Hugging Face models write these files for a sequence classifier with one output: a question and a passage
go in as one sequence, and a logit comes out.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from polyadic.errors import ModelUnavailable, WeightsMissing
from polyadic.model.types import Usage

if TYPE_CHECKING:
    from tokenizers import Tokenizer

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
_AT_ONCE = 8
# Padding tokens by model family.
_PADDING = ("[PAD]", "<pad>")


class CrossEncoder:
    """A Reranker that runs on this machine.

    Parameters
    ----------
    folder
        Folder of the two files; they are loaded by the first call.
    window
        Maximum number of tokens of question and passage together; longer passages are truncated.

    Raises
    ------
    WeightsMissing
        One of the files does not exist.
    """

    def __init__(self, folder: Path, window: int) -> None:
        for file in (folder / GRAPH, folder / TOKENIZER):
            if not file.is_file():
                step = f"put {GRAPH} and {TOKENIZER} of a cross-encoder there, or change folder under [reranker]"
                raise WeightsMissing(f"the reranker needs {file}, which does not exist", step)
        self.name = folder.name
        self._folder = folder
        self._window = window
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, Any] | None = None

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one score per passage; raise ModelUnavailable if the files are not a cross-encoder."""
        return await asyncio.to_thread(self._scores, question, passages)

    def take_usage(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        try:
            tokenizer, session = self._model()
            scores: list[float] = []
            for start in range(0, len(passages), _AT_ONCE):
                scores += self._batch(question, passages[start : start + _AT_ONCE], tokenizer, session)
        # Both libraries raise many kinds of plain Exceptions for invalid files.
        except Exception as error:
            what = f"{self._folder} contains no usable cross-encoder ({type(error).__name__})"
            step = (
                f"check that {GRAPH} has one output and {TOKENIZER} is its tokenizer, or change folder under [reranker]"
            )
            raise ModelUnavailable(what, step) from error
        return scores

    def _batch(self, question: str, passages: Sequence[str], tokenizer: "Tokenizer", session: Any) -> list[float]:
        encoded = tokenizer.encode_batch([(question, passage) for passage in passages])
        inputs = {
            "input_ids": [encoding.ids for encoding in encoded],
            "attention_mask": [encoding.attention_mask for encoding in encoded],
            "token_type_ids": [encoding.type_ids for encoding in encoded],
        }
        wanted = [declared.name for declared in session.get_inputs()]
        (logits, *_) = session.run(None, {name: np.array(inputs[name], np.int64) for name in wanted})
        scores = np.asarray(logits, np.float64)
        if scores.size != len(passages) or not np.isfinite(scores).all():
            raise ValueError(f"{scores.size} scores for {len(passages)} passages")
        return [float(score) for score in scores.ravel()]

    def _model(self) -> "tuple[Tokenizer, Any]":
        with self._loading:
            if self._loaded is None:
                from tokenizers import Tokenizer

                from polyadic.embeddings.onnx_runtime import open_session

                tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
                tokenizer.enable_truncation(self._window, strategy="longest_first")
                known = {name: tokenizer.token_to_id(name) for name in _PADDING}
                pad = next((name for name, number in known.items() if number is not None), _PADDING[0])
                tokenizer.enable_padding(pad_token=pad, pad_id=known[pad] or 0)
                self._loaded = tokenizer, open_session(str(self._folder / GRAPH))
            return self._loaded
