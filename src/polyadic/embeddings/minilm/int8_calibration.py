"""Calibrate int8 quantization: measure the input ranges of the matrix products of a transformer on sample texts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from polyadic.embeddings.minilm.checksums import TOKENIZER_SHA256, read_verified
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.embeddings.onnx_runtime import open_session

Tokens = NDArray[np.int64]
_WINDOW = 254
# Lines of the file joined to one text: a sentence, a short passage, and one that fills the window.
_LINES_TOGETHER = (1, 4, 12)


@dataclass(frozen=True)
class ActivationRanges:
    """Minimum and maximum of each input of a matrix product: float32, shape (inputs,)."""

    low: NDArray[np.float32]
    high: NDArray[np.float32]


def measured_ranges(graph: bytes, folder: Path, inputs: Iterable[Mapping[str, Tokens]]) -> dict[str, ActivationRanges]:
    """Measure the ranges of a graph in float32 by the name of the product; takes some seconds.

    Parameters
    ----------
    graph
        The serialized graph.
    folder
        The folder of its external weights.
    inputs
        The inputs of each run.

    Returns
    -------
    dict
        By names such as ``encoder.layer.0.output.dense``.
    """
    model = onnx.load_model_from_string(graph)
    products = [node for node in model.graph.node if node.op_type == "Gemm"]
    watched = sorted({node.input[0] for node in products})
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in watched)
    session = open_session(model.SerializeToString(), folder)
    low: dict[str, NDArray[np.float32]] = {}
    high: dict[str, NDArray[np.float32]] = {}
    for tokens in inputs:
        for name, state in zip(watched, session.run(watched, dict(tokens)), strict=True):
            low[name] = np.minimum(low.get(name, np.inf), state.min(axis=0))
            high[name] = np.maximum(high.get(name, -np.inf), state.max(axis=0))
    return {
        node.input[1].removesuffix(".weight"): ActivationRanges(low[node.input[0]], high[node.input[0]])
        for node in products
    }


def single_texts(weights: ModelFiles) -> Iterator[dict[str, Tokens]]:
    """Yield the sample texts as inputs of the embedder's graph."""
    tokenizer = WordPiece(read_verified(weights.tokenizer, TOKENIZER_SHA256))
    lines = sample_lines()
    texts = [
        " ".join(lines[start : start + together])
        for together in _LINES_TOGETHER
        for start in range(0, len(lines), together)
    ]
    for ids in tokenizer.ids(texts, _WINDOW):
        tokens = np.asarray([ids], np.int64)
        yield {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}


def sample_lines() -> list[str]:
    """Return the sample sentences and questions."""
    return files(__package__).joinpath("int8_texts.txt").read_text(encoding="utf-8").splitlines()
