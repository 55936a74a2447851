"""The transformer of all-MiniLM-L6-v2 with matrix products quantized to eight bits.

Made from the original weights: a weight is rounded to one of 255 steps of its row, an input to one of 256 steps of a
range that is measured once on sample texts (calibration). As the ranges are fixed, a text's vector does not depend on
the other texts of a call. Everything between the products stays float32, and so do the embeddings, which are read from
the safetensors file as in the other graph.

Some inputs are far larger than the rest, nearly always the same ones, and would leave few steps for all others. So each
input is divided by a power of its range, and its weights are multiplied by the same factor. A hidden neuron with a very
large output is duplicated several times, each copy with its share of the weight, because such a large weight would
leave few steps for the others of its row.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from polyadic.embeddings.minilm.checksums import TOKENIZER_SHA256, read_verified
from polyadic.embeddings.minilm.onnx_graph import FUSED, LAYERS, ModelWeights, TransformerGraph, build_graph
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.embeddings.onnx_runtime import PROBE, PROBE_TIMES, open_session

Tokens = NDArray[np.int64]
_WINDOW = 254
# Lines of the file joined to one text: a sentence, a short passage, and one that fills the window.
_LINES_TOGETHER = (1, 4, 12)

# Exponents for the division of inputs by their range: for normalized states, and for outputs of neurons; and the number
# of copies of neurons. All were chosen to maximize the similarity to the float32 vectors.
_NORMALIZED_SHARE, _NEURON_SHARE, _COPIES = 0.75, 0.35, 32
_LEAST_RANGE = 1e-3


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


def build_int8_graph(weights: ModelFiles) -> bytes:
    """Build the serialized graph for a safetensors file; needs the tokenizer too, to measure ranges on texts.

    Inputs and output are those of ``build_graph``; the second output is ``PROBE``, int32, shape (4, 16).
    """
    ranges = measured_ranges(build_graph(weights.network), weights.network.parent, single_texts(weights))
    return Int8TransformerGraph(ModelWeights(weights.network), ranges).serialized()


def copied(high: NDArray[np.float32], copies: int) -> NDArray[np.intp]:
    """Return how often each neuron occurs, if each copy in turn goes to the neuron with the largest share.

    >>> copied(np.array([9, 1, 4], np.float32), 3)
    array([3, 1, 2])
    """
    times = np.ones(len(high), np.intp)
    for _ in range(copies):
        times[np.argmax(high / times)] += 1
    return times


def rounded(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantize a weight, (outputs, inputs), to whole numbers in [-127, 127]; also return the scale of each row.

    >>> numbers, worth = rounded(np.array([[1, -0.5], [0, 0]], np.float32))
    >>> numbers.tolist(), np.round(worth * 127, 3).tolist()
    ([[127, -64], [0, 0]], [1.0, 127.0])
    """
    largest = np.abs(weight).max(axis=1)
    worth = np.where(largest, largest / 127, 1).astype(np.float32)
    return np.rint(weight / worth[:, None]).astype(np.int8), worth


class Int8TransformerGraph(TransformerGraph):
    """Graph builder for the quantized transformer; ``ranges`` are those of the inputs of its matrix products."""

    def __init__(self, weights: ModelWeights, ranges: Mapping[str, ActivationRanges]) -> None:
        super().__init__(weights)
        self._ranges = ranges
        self._times = {layer: copied(ranges[f"{layer}.output.dense"].high, _COPIES) for layer in LAYERS}
        self._quantized: dict[str, tuple[str, str, str, NDArray[np.float32]]] = {}

    def _add_outputs(self, whole: str, state: str) -> None:
        super()._add_outputs(whole, state)
        self._add_probe()

    def _add_probe(self) -> None:
        """Add the probe as an output: its result is too small if pairs of products are accumulated in 16 bits."""
        large = self._constant("probe_input", np.full((4, PROBE_TIMES), 255, np.uint8))
        weight = self._constant("probe_weight", np.full((PROBE_TIMES, 16), 127, np.int8))
        self._nodes.append(helper.make_node("MatMulInteger", [large, weight], [PROBE]))
        self._outputs.append(helper.make_tensor_value_info(PROBE, TensorProto.INT32, [4, 16]))

    def _linear(self, state: str, name: str) -> str:
        weight, bias = self._weights.array(f"{name}.weight"), self._weights.array(f"{name}.bias")
        layer, _, part = name.partition(".intermediate.")
        if part:
            neurons = np.repeat(np.arange(len(bias)), self._times[layer])
            weight, bias = weight[neurons], bias[neurons]
        elif name.removesuffix(".output.dense") in self._times:
            times = self._times[name.removesuffix(".output.dense")]
            weight = np.repeat(weight / times.astype(np.float32), times, axis=1)
        numbers, scale, zero, divisors = self._numbers(state, name)
        whole, worth = rounded(weight * divisors)
        return self._add(
            "MatMulIntegerToFloat",
            numbers,
            self._constant(f"{name}.whole", whole.T.copy()),
            scale,
            self._constant(f"{name}.worth", worth),
            zero,
            "",
            self._constant(f"{name}.added", bias),
            domain=FUSED,
        )

    def _numbers(self, state: str, name: str) -> tuple[str, str, str, NDArray[np.float32]]:
        """Quantize an input; return its integers, scale, zero point, and the divisor of each component."""
        if state not in self._quantized:
            low, high, divisors = self._range(name)
            if (divisors != 1).any():
                shares = self._add("Mul", state, self._constant(f"{name}.shares", 1 / divisors))
            else:
                shares = state
            least, most = min(0.0, float((low / divisors).min())), float((high / divisors).max())
            step = (most - least) / 255
            scale = self._constant(f"{name}.scale", np.float32(step))
            zero = self._constant(f"{name}.zero", np.uint8(round(-least / step)))
            self._quantized[state] = (self._add("QuantizeLinear", shares, scale, zero), scale, zero, divisors)
        return self._quantized[state]

    def _range(self, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return the range of each input component, copies included, and its divisor."""
        low, high = self._ranges[name].low, self._ranges[name].high
        if name.endswith(".attention.output.dense"):
            # Averages of many values: none is far larger than the others.
            return low, high, np.ones_like(high)
        times, share = np.ones(len(high), np.intp), _NORMALIZED_SHARE
        if name.removesuffix(".output.dense") in self._times:
            times, share = self._times[name.removesuffix(".output.dense")], _NEURON_SHARE
        widest = np.maximum(np.maximum(high, -low), _LEAST_RANGE) / times
        divisors = np.repeat(times * widest**share, times).astype(np.float32)
        return np.repeat(low, times), np.repeat(high, times), divisors
