"""Build the transformer of all-MiniLM-L6-v2 as an ONNX graph over its safetensors file.

The graph contains no weights, only their offsets in that file: it is 25 KB in size, and the runtime maps the file into
memory instead of reading a copy. Gemm accepts a weight as stored, (outputs, inputs).

It uses standard ONNX operators. A graph of the runtime's fused operators (Attention, BiasGelu, SkipLayerNormalization,
EmbedLayerNormalization) was a tenth slower: matrix products take nine tenths of the time, and Gemm is fastest.
"""

import json
import math
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

LAYERS = tuple(f"encoder.layer.{number}" for number in range(6))
_HEADS, _HEAD_SIZE = 12, 32
HIDDEN = _HEADS * _HEAD_SIZE
_EPSILON = 1e-12
_OPSET, _IR_VERSION = 20, 9
# Domain of the runtime's own operators.
FUSED = "com.microsoft"
# Added to the attention scores of padding tokens, so that softmax gives them weight 0.
_NEVER = np.float32(-1e9)


def build_graph(weights: Path) -> bytes:
    """Build the serialized graph for a safetensors file.

    Inputs: ``input_ids`` and ``attention_mask``, int64, shape (n, length). Output: ``last_hidden_state``, float32,
    shape (n, length, 384). The graph refers to the file by name only; the runtime needs the folder as an option.
    """
    return TransformerGraph(ModelWeights(weights)).serialized()


class ModelWeights:
    """The arrays of a safetensors file by name."""

    def __init__(self, file: Path) -> None:
        self._file = file
        with file.open("rb") as opened:
            (length,) = struct.unpack("<Q", opened.read(8))
            self._header = json.loads(opened.read(length))
            self._data_start = 8 + length

    @property
    def names(self) -> list[str]:
        """The names of the arrays."""
        return [name for name in self._header if name != "__metadata__"]

    def array(self, name: str) -> NDArray[np.float32]:
        """Read an array from the file."""
        entry = self._header[name]
        start, end = entry["data_offsets"]
        numbers = np.fromfile(self._file, "<f4", (end - start) // 4, offset=self._data_start + start)
        return numbers.reshape(entry["shape"])

    def tensor(self, name: str) -> TensorProto:
        """Create a tensor of a graph that refers to the array in the file."""
        entry = self._header[name]
        start, end = entry["data_offsets"]
        tensor = TensorProto(
            name=name, data_type=TensorProto.FLOAT, dims=entry["shape"], data_location=TensorProto.EXTERNAL
        )
        where = {"location": self._file.name, "offset": self._data_start + start, "length": end - start}
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        return tensor


class TransformerGraph:
    """Graph builder; each method adds nodes and returns the name of their output."""

    inputs: Sequence[str] = ("input_ids", "attention_mask")

    def __init__(self, weights: ModelWeights) -> None:
        self._nodes: list[NodeProto] = []
        self._tensors: dict[str, TensorProto] = {}
        self._outputs: list[ValueInfoProto] = []
        self._weights = weights

    def serialized(self) -> bytes:
        shape = self._add("Shape", "input_ids")
        heads = self._add("Concat", shape, self._constant("heads", [_HEADS, _HEAD_SIZE]), axis=0)
        mask = self._mask()
        state = self._embeddings()
        for layer in LAYERS:
            attended = self._linear(
                self._attention(state, mask, heads, f"{layer}.attention.self"),
                f"{layer}.attention.output.dense",
            )
            state = self._normalized(self._add("Add", attended, state), f"{layer}.attention.output.LayerNorm")
            inner = self._add("Gelu", self._linear(state, f"{layer}.intermediate.dense"))
            outer = self._linear(inner, f"{layer}.output.dense")
            state = self._normalized(self._add("Add", outer, state), f"{layer}.output.LayerNorm")
        self._add_outputs(self._add("Concat", shape, self._constant("hidden", [HIDDEN]), axis=0), state)
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"]) for name in self.inputs]
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", inputs, self._outputs, list(self._tensors.values()))
        opsets = [helper.make_opsetid("", _OPSET)]
        if any(node.domain == FUSED for node in self._nodes):
            opsets.append(helper.make_opsetid(FUSED, 1))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="polyadic")
        serialized: bytes = model.SerializeToString()
        return serialized

    def _add_outputs(self, whole: str, state: str) -> None:
        """Add the outputs; ``whole`` is the shape (n, length, 384), and ``state`` the last layer: (n x length, 384)."""
        self._nodes.append(helper.make_node("Reshape", [state, whole], ["last_hidden_state"]))
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["n", "length", HIDDEN])
        self._outputs.append(output)

    def _embeddings(self) -> str:
        """Sum and normalize embeddings of words, positions and segments: (n x length, 384)."""
        words = self._add("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        length = self._add("Shape", "input_ids", start=1, end=2)
        table = self._weight("embeddings.position_embeddings.weight")
        positions = self._add("Slice", table, self._constant("zero", [0]), length)
        segments = self._add("Gather", self._weight("embeddings.token_type_embeddings.weight"), self._segments())
        total = self._add("Add", self._add("Add", words, positions), segments)
        flat = self._add("Reshape", total, self._constant("rows", [-1, HIDDEN]))
        return self._normalized(flat, "embeddings.LayerNorm")

    def _segments(self) -> str:
        """Return the numbers of the segments: all tokens belong to the first."""
        return self._constant("first", 0)

    def _mask(self) -> str:
        """Return the attention mask, 0 for a token and very negative for padding: (n, 1, 1, length)."""
        present = self._add("Cast", "attention_mask", to=TensorProto.FLOAT)
        absent = self._add("Sub", self._constant("one", np.float32(1)), present)
        return self._add(
            "Unsqueeze",
            self._add("Mul", absent, self._constant("never", _NEVER)),
            self._constant("axes", [1, 2]),
        )

    def _attention(self, state: str, mask: str, heads: str, name: str) -> str:
        def split(part: str, order: list[int]) -> str:
            return self._add(
                "Transpose", self._add("Reshape", self._linear(state, f"{name}.{part}"), heads), perm=order
            )

        query, key, value = (
            split("query", [0, 2, 1, 3]),
            split("key", [0, 2, 3, 1]),
            split("value", [0, 2, 1, 3]),
        )
        scale = self._constant("scale", np.float32(1 / math.sqrt(_HEAD_SIZE)))
        scores = self._add("Mul", self._add("MatMul", query, key), scale)
        attention = self._add("Softmax", self._add("Add", scores, mask), axis=-1)
        joined = self._add("Transpose", self._add("MatMul", attention, value), perm=[0, 2, 1, 3])
        return self._add("Reshape", joined, "rows")

    def _linear(self, state: str, name: str) -> str:
        return self._add("Gemm", state, self._weight(f"{name}.weight"), self._weight(f"{name}.bias"), transB=1)

    def _normalized(self, state: str, name: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._add("LayerNormalization", state, scale, bias, epsilon=_EPSILON, axis=-1)

    def _add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def _constant(self, name: str, value: ArrayLike) -> str:
        self._tensors[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def _weight(self, name: str) -> str:
        self._tensors[name] = self._weights.tensor(name)
        return name
