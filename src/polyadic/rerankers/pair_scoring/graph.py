"""Build a cross-encoder as an ONNX graph from the weights of all-MiniLM-L6-v2.

Both texts go through the transformer as one sequence of two segments, and a linear layer turns the state of the first
token into a logit. The adapter has what differs from the embedder: low-rank changes of the matrices (LoRA, arXiv
2106.09685), biases and normalizations, and the linear layer. The products are quantized to eight bits like the
embedder's.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from polyadic.embeddings.minilm.int8_quantization import Int8TransformerGraph, Tokens, measured_ranges, sample_lines
from polyadic.embeddings.minilm.onnx_graph import ModelWeights, TransformerGraph
from polyadic.rerankers.pair_scoring.adapter import load_adapter
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer


def build_pair_graph(weights: Path, adapter: str, tokenizer: PairTokenizer) -> bytes:
    """Build the serialized graph for a safetensors file and the name of an adapter; takes some seconds.

    Inputs: ``input_ids``, ``attention_mask`` and ``token_type_ids``, int64, shape (n, length). Output: ``logits``,
    float32, shape (n, 1).
    """
    adapted = AdaptedWeights(weights, load_adapter(adapter))
    ranges = measured_ranges(PairGraph(adapted).serialized(), weights.parent, _sample_pairs(tokenizer))
    return _Int8PairGraph(adapted, ranges).serialized()


class AdaptedWeights(ModelWeights):
    """The weights of the embedder with the changes of an adapter."""

    def __init__(self, file: Path, changes: dict[str, NDArray[np.float32]]) -> None:
        super().__init__(file)
        self._changes = changes

    def array(self, name: str) -> NDArray[np.float32]:
        if name in self._changes:
            return self._changes[name]
        original = super().array(name)
        if f"{name}.up" not in self._changes:
            return original
        return original + self._changes[f"{name}.up"] @ self._changes[f"{name}.down"]

    def tensor(self, name: str) -> TensorProto:
        if name in self._changes or f"{name}.up" in self._changes:
            return numpy_helper.from_array(self.array(name), name)
        return super().tensor(name)


class PairGraph(TransformerGraph):
    """Graph builder for a sequence of two segments, with a logit as the output."""

    inputs = ("input_ids", "attention_mask", "token_type_ids")

    def _segments(self) -> str:
        return "token_type_ids"

    def _add_outputs(self, whole: str, state: str) -> None:
        states = self._add("Reshape", state, whole)
        first = self._add("Gather", states, self._constant("first_token", 0), axis=1)
        head = (self._weight("head.weight"), self._weight("head.bias"))
        self._nodes.append(helper.make_node("Gemm", [first, *head], ["logits"], transB=1))
        self._outputs.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 1]))


class _Int8PairGraph(PairGraph, Int8TransformerGraph):
    def _add_outputs(self, whole: str, state: str) -> None:
        super()._add_outputs(whole, state)
        self._add_probe()


def _sample_pairs(tokenizer: PairTokenizer) -> Iterator[dict[str, Tokens]]:
    """Yield pairs for calibration: each sample line, with lines before it as second texts and contexts."""
    lines = sample_lines()
    for place, line in enumerate(lines):
        for context, second in (("", lines[place - 1]), (lines[place - 2], lines[place - 3])):
            yield tokenizer.inputs(line, [(context, second)])
