"""The forward pass of all-MiniLM-L6-v2 in plain numpy, to compare with."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

_erf = np.vectorize(math.erf, otypes=[np.float32])


class Reference:
    """The network with the weights of a file; those of the same name in ``replaced`` take their place."""

    def __init__(self, safetensors: Path, replaced: Mapping[str, NDArray[np.float32]] | None = None) -> None:
        self._weights: dict[str, NDArray[np.float32]] = load_file(safetensors) | dict(replaced or {})

    def original(self, name: str) -> NDArray[np.float32]:
        return self._weights[name]

    def vector(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """The vector of one text, given its tokens with the special ones: shape (384,)."""
        mean: NDArray[np.float32] = self._states(ids, [0] * len(ids)).mean(axis=0)
        return mean / np.float32(np.linalg.norm(mean))

    def logit(self, ids: Sequence[int], segments: Sequence[int]) -> float:
        """The linear layer ``head`` over the state of the first token of a sequence of two segments."""
        return float(self._linear(self._states(ids, segments)[:1], "head")[0, 0])

    def _states(self, ids: Sequence[int], segments: Sequence[int]) -> NDArray[np.float32]:
        """The states of the last layer, shape (tokens, 384)."""
        w = self._weights
        state = w["embeddings.word_embeddings.weight"][list(ids)]
        state = state + w["embeddings.position_embeddings.weight"][: len(ids)]
        state = state + w["embeddings.token_type_embeddings.weight"][list(segments)]
        state = self._normalized(state, "embeddings.LayerNorm")
        for number in range(6):
            layer = f"encoder.layer.{number}"
            attended = self._linear(
                self._attention(state, f"{layer}.attention.self"), f"{layer}.attention.output.dense"
            )
            state = self._normalized(attended + state, f"{layer}.attention.output.LayerNorm")
            inner = self._linear(state, f"{layer}.intermediate.dense")
            inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
            state = self._normalized(self._linear(inner, f"{layer}.output.dense") + state, f"{layer}.output.LayerNorm")
        return state

    def _attention(self, state: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        query, key, value = (
            self._linear(state, f"{name}.{part}").reshape(-1, 12, 32).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / math.sqrt(32)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention = scores / scores.sum(axis=-1, keepdims=True)
        joined: NDArray[np.float32] = (attention @ value).swapaxes(0, 1).reshape(-1, 384)
        return joined

    def _linear(self, state: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        product: NDArray[np.float32] = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _normalized(self, state: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        normalized: NDArray[np.float32] = (
            centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        )
        return normalized
