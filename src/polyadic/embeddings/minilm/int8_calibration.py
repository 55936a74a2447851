"""Calibrate int8 quantisation: measure the input ranges of the matrix products of all-MiniLM-L6-v2 on sample texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from polyadic.embeddings.minilm.checksums import TOKENIZER_SHA256, read_verified
from polyadic.embeddings.minilm.onnx_graph import build_graph
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.embeddings.onnx_runtime import open_session

_WINDOW = 254
# Lines of the file joined to one text: a sentence, a short passage, and one that fills the window.
_LINES_TOGETHER = (1, 4, 12)


@dataclass(frozen=True)
class ActivationRanges:
    """Minimum and maximum of each input of a matrix product: float32, shape (inputs,)."""

    low: NDArray[np.float32]
    high: NDArray[np.float32]


def measured_ranges(weights: ModelFiles) -> dict[str, ActivationRanges]:
    """Measure the ranges by the name of the product, such as ``encoder.layer.0.output.dense``; takes some seconds."""
    model = onnx.load_model_from_string(build_graph(weights.network))
    products = [node for node in model.graph.node if node.op_type == "Gemm"]
    watched = sorted({node.input[0] for node in products})
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in watched)
    session = open_session(model.SerializeToString(), weights.network.parent)
    tokenizer = WordPiece(read_verified(weights.tokenizer, TOKENIZER_SHA256))
    low: dict[str, NDArray[np.float32]] = {}
    high: dict[str, NDArray[np.float32]] = {}
    for ids in tokenizer.ids(_texts(), _WINDOW):
        tokens = np.asarray([ids], np.int64)
        states = session.run(watched, {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})
        for name, state in zip(watched, states, strict=True):
            low[name] = np.minimum(low.get(name, np.inf), state.min(axis=0))
            high[name] = np.maximum(high.get(name, -np.inf), state.max(axis=0))
    return {
        node.input[1].removesuffix(".weight"): ActivationRanges(low[node.input[0]], high[node.input[0]])
        for node in products
    }


def _texts() -> Sequence[str]:
    lines = files(__package__).joinpath("int8_texts.txt").read_text(encoding="utf-8").splitlines()
    return [
        " ".join(lines[start : start + together])
        for together in _LINES_TOGETHER
        for start in range(0, len(lines), together)
    ]
