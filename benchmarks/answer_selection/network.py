"""The cross-encoder in torch: all-MiniLM-L6-v2 with low-rank changes of its upper layers (LoRA, arXiv 2106.09685)."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from polyadic.embeddings.minilm.onnx_graph import ModelWeights

LAYERS, FROZEN, RANK = 6, 2, 16
_HEADS, _HEAD_SIZE, _HIDDEN = 12, 32, 384
_EPSILON, _DROPOUT = 1e-12, 0.1
_MATRICES = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
_PRODUCTS = (*_MATRICES, "intermediate.dense", "output.dense")
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
_EMBEDDINGS = tuple(
    f"embeddings.{name}.weight" for name in ("word_embeddings", "position_embeddings", "token_type_embeddings")
)
_NORMALIZED = "embeddings.LayerNorm"


class Network:
    """Weights of the embedder, and the parameters of the adapter by the names of its file."""

    def __init__(self, weights: Path) -> None:
        file = ModelWeights(weights)
        names = [*_EMBEDDINGS, *(f"{_NORMALIZED}.{part}" for part in ("weight", "bias"))]
        for layer in range(LAYERS):
            names += [
                f"encoder.layer.{layer}.{one}.{part}" for one in (*_PRODUCTS, *_NORMS) for part in ("weight", "bias")
            ]
        self._base = {name: torch.from_numpy(file.array(name).copy()) for name in names}
        self.parameters: dict[str, Tensor] = {
            "head.weight": torch.randn(1, _HIDDEN) * 0.02,
            "head.bias": torch.zeros(1),
        }
        for layer in range(FROZEN, LAYERS):
            for product in _PRODUCTS:
                name = f"encoder.layer.{layer}.{product}"
                outputs, inputs = self._base[f"{name}.weight"].shape
                self.parameters[f"{name}.weight.down"] = torch.randn(RANK, inputs) * 0.02
                self.parameters[f"{name}.weight.up"] = torch.zeros(outputs, RANK)
                self.parameters[f"{name}.bias"] = self._base[f"{name}.bias"].clone()
            for norm in _NORMS:
                for part in ("weight", "bias"):
                    name = f"encoder.layer.{layer}.{norm}.{part}"
                    self.parameters[name] = self._base[name].clone()
        for parameter in self.parameters.values():
            parameter.requires_grad_()

    def merged(self) -> dict[str, Tensor]:
        """Return all weights with the adapter, in bfloat16."""
        whole = dict(self._base) | {
            name: one for name, one in self.parameters.items() if not name.endswith((".up", ".down"))
        }
        for name in [name.removesuffix(".up") for name in self.parameters if name.endswith(".up")]:
            whole[name] = self._base[name] + 2 * self.parameters[f"{name}.up"] @ self.parameters[f"{name}.down"]
        return {name: one.to(torch.bfloat16) for name, one in whole.items()}

    def load(self, adapter: Mapping[str, NDArray[np.float32]]) -> None:
        """Replace the parameters by a written adapter."""
        with torch.no_grad():
            for name, one in self.parameters.items():
                one.copy_(torch.from_numpy(adapter[name]) / (2 if name.endswith(".up") else 1))

    def adapter(self) -> dict[str, NDArray[np.float16]]:
        """Return the parameters as they are written: the factor of the low-rank changes is part of ``up``."""
        return {
            name: (one.detach() * (2 if name.endswith(".up") else 1)).numpy().astype(np.float16)
            for name, one in sorted(self.parameters.items())
        }


def logits(weights: Mapping[str, Tensor], inputs: Mapping[str, NDArray[np.int64]], *, training: bool = False) -> Tensor:
    """Return the logits of pairs: shape (n,)."""
    ids, mask, segments = (torch.from_numpy(inputs[name]) for name in ("input_ids", "attention_mask", "token_type_ids"))
    never = (1 - mask.to(torch.bfloat16))[:, None, None, :] * -1e4
    words, positions, kinds = (weights[name] for name in _EMBEDDINGS)
    state = _normalized(weights, words[ids] + positions[: ids.shape[1]] + kinds[segments], _NORMALIZED)
    state = functional.dropout(state, _DROPOUT, training)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        with torch.set_grad_enabled(training and layer >= FROZEN):
            attended = _linear(weights, _attention(weights, state, never, name), f"{name}.attention.output.dense")
            state = _normalized(weights, state + attended, f"{name}.attention.output.LayerNorm")
            inner = functional.gelu(_linear(weights, state, f"{name}.intermediate.dense"))
            state = _normalized(
                weights, state + _linear(weights, inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"
            )
    return functional.linear(state[:, 0], weights["head.weight"], weights["head.bias"])[:, 0].float()


def _attention(weights: Mapping[str, Tensor], state: Tensor, never: Tensor, name: str) -> Tensor:
    n, length, _ = state.shape
    query, key, value = (
        _linear(weights, state, f"{name}.{part}").view(n, length, _HEADS, _HEAD_SIZE).transpose(1, 2)
        for part in _MATRICES[:3]
    )
    attention = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(_HEAD_SIZE) + never, -1)
    return (attention @ value).transpose(1, 2).reshape(n, length, _HIDDEN)


def _linear(weights: Mapping[str, Tensor], state: Tensor, name: str) -> Tensor:
    return functional.linear(state, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normalized(weights: Mapping[str, Tensor], state: Tensor, name: str) -> Tensor:
    return functional.layer_norm(state, (_HIDDEN,), weights[f"{name}.weight"], weights[f"{name}.bias"], _EPSILON)
