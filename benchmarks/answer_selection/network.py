"""The cross-encoder in torch: all-MiniLM-L6-v2 with low-rank changes of its layers (LoRA, arXiv 2106.09685)."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

LAYERS = 6
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
    """Weights of the embedder, and the parameters of the adapter by the names of its file.

    Parameters
    ----------
    weights
        The arrays of the embedder by name.
    device
        Where to compute.
    rank
        Rank of the changes.
    frozen
        How many of the lower layers stay as they are.
    """

    def __init__(self, weights: Mapping[str, NDArray[np.floating]], device: str, rank: int, frozen: int) -> None:
        self.frozen = frozen
        self._base = {
            name: torch.from_numpy(np.asarray(array, np.float32)).to(device) for name, array in weights.items()
        }
        self.parameters: dict[str, Tensor] = {
            "head.weight": torch.randn(1, _HIDDEN, device=device) * 0.02,
            "head.bias": torch.zeros(1, device=device),
        }
        for layer in range(frozen, LAYERS):
            for product in _PRODUCTS:
                name = f"encoder.layer.{layer}.{product}"
                outputs, inputs = self._base[f"{name}.weight"].shape
                self.parameters[f"{name}.weight.down"] = torch.randn(rank, inputs, device=device) * 0.02
                self.parameters[f"{name}.weight.up"] = torch.zeros(outputs, rank, device=device)
                self.parameters[f"{name}.bias"] = self._base[f"{name}.bias"].clone()
            for norm in _NORMS:
                for part in ("weight", "bias"):
                    name = f"encoder.layer.{layer}.{norm}.{part}"
                    self.parameters[name] = self._base[name].clone()
        for parameter in self.parameters.values():
            parameter.requires_grad_()

    def merged(self, parameters: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return all weights with the parameters of an adapter, in bfloat16."""
        whole = self._base | {name: one for name, one in parameters.items() if not name.endswith((".up", ".down"))}
        for name in [name.removesuffix(".up") for name in parameters if name.endswith(".up")]:
            whole[name] = self._base[name] + 2 * parameters[f"{name}.up"] @ parameters[f"{name}.down"]
        return {name: one.to(torch.bfloat16) for name, one in whole.items()}


def written(parameters: Mapping[str, Tensor]) -> dict[str, NDArray[np.float16]]:
    """Return parameters as an adapter has them: the factor of the low-rank changes is part of ``up``."""
    return {
        name: (one.detach() * (2 if name.endswith(".up") else 1)).cpu().numpy().astype(np.float16)
        for name, one in sorted(parameters.items())
    }


def logits(weights: Mapping[str, Tensor], ids: Tensor, segments: Tensor, frozen: int, *, training: bool) -> Tensor:
    """Return the logits of pairs, shape (n,), of their tokens and segments, shape (n, length); padding is 0."""
    kept = (ids > 0)[:, None, None, :]
    words, positions, kinds = (weights[name] for name in _EMBEDDINGS)
    with torch.no_grad():
        state = _normalized(weights, words[ids] + positions[: ids.shape[1]] + kinds[segments], _NORMALIZED)
        state = functional.dropout(state, _DROPOUT, training)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        with torch.set_grad_enabled(training and layer >= frozen):
            attended = _linear(weights, _attention(weights, state, kept, name), f"{name}.attention.output.dense")
            attended = functional.dropout(attended, _DROPOUT, training)
            state = _normalized(weights, state + attended, f"{name}.attention.output.LayerNorm")
            inner = functional.gelu(_linear(weights, state, f"{name}.intermediate.dense"))
            inner = functional.dropout(_linear(weights, inner, f"{name}.output.dense"), _DROPOUT, training)
            state = _normalized(weights, state + inner, f"{name}.output.LayerNorm")
    return functional.linear(state[:, 0], weights["head.weight"], weights["head.bias"])[:, 0].float()


def _attention(weights: Mapping[str, Tensor], state: Tensor, kept: Tensor, name: str) -> Tensor:
    n, length, _ = state.shape
    query, key, value = (
        _linear(weights, state, f"{name}.{part}").view(n, length, _HEADS, _HEAD_SIZE).transpose(1, 2)
        for part in _MATRICES[:3]
    )
    attended = functional.scaled_dot_product_attention(query, key, value, kept)
    return attended.transpose(1, 2).reshape(n, length, _HIDDEN)


def _linear(weights: Mapping[str, Tensor], state: Tensor, name: str) -> Tensor:
    return functional.linear(state, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normalized(weights: Mapping[str, Tensor], state: Tensor, name: str) -> Tensor:
    return functional.layer_norm(state, (_HIDDEN,), weights[f"{name}.weight"], weights[f"{name}.bias"], _EPSILON)
