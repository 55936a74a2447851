"""A cross-encoder on this machine: ``model.onnx`` and ``tokenizer.json`` in a folder, run by onnxruntime.

These are the files that exporters of Hugging Face models write for a sequence classifier with one output: a question
and a passage go in as one sequence, and a logit comes out.
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
# What fills up the shorter pairs of a batch, by the family of the model.
_PADDING = ("[PAD]", "<pad>")


class CrossEncoder:
    """Implements Reranker.

    Parameters
    ----------
    folder
        Where the two files lie; they are loaded by the first call.
    window
        Tokens of question and passage together; the end of a longer passage is not read.

    Raises
    ------
    WeightsMissing
        One of the files is not there.
    """

    def __init__(self, folder: Path, window: int) -> None:
        for file in (folder / GRAPH, folder / TOKENIZER):
            if not file.is_file():
                step = f"put {GRAPH} and {TOKENIZER} of a cross-encoder there, or change folder under [reranker]"
                raise WeightsMissing(f"the reranker needs {file}, which is not there", step)
        self.name = folder.name
        self._folder = folder
        self._window = window
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, Any] | None = None

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score a passage; raises ModelUnavailable where the files are no cross-encoder."""
        return await asyncio.to_thread(self._scores, question, passages)

    def take_paid(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        try:
            tokenizer, session = self._model()
            found: list[float] = []
            for start in range(0, len(passages), _AT_ONCE):
                found += self._batch(question, passages[start : start + _AT_ONCE], tokenizer, session)
        # Both libraries raise plain Exceptions, of many kinds, for files that are not what they should be.
        except Exception as error:
            what = f"{self._folder} holds no cross-encoder that can be run ({type(error).__name__})"
            step = (
                f"check that {GRAPH} has one output and {TOKENIZER} is its tokenizer, or change folder under [reranker]"
            )
            raise ModelUnavailable(what, step) from error
        return found

    def _batch(self, question: str, passages: Sequence[str], tokenizer: "Tokenizer", session: Any) -> list[float]:
        encoded = tokenizer.encode_batch([(question, passage) for passage in passages])
        known = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        wanted = [given.name for given in session.get_inputs()]
        (logits, *_) = session.run(None, {name: np.array(known[name], np.int64) for name in wanted})
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
