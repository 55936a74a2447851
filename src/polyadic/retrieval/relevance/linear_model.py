"""Linear models that were learned elsewhere and are kept as a small file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A weight for each feature, and what is added; ``weights`` has shape (features,)."""

    weights: NDArray[np.float64]
    bias: float = 0.0

    @classmethod
    def named(cls, weights: Mapping[str, float], features: Sequence[str], bias: float = 0.0) -> "LinearModel":
        """Weights by name, in the order of the features; a feature without one counts nothing.

        >>> LinearModel.named({"b": 2.0}, ["a", "b"]).scores(np.array([[5.0, 1.5]])).tolist()
        [3.0]
        """
        return cls(np.array([weights.get(name, 0.0) for name in features]), bias)

    def scores(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weighted sum of each row, shape (rows,)."""
        return features @ self.weights + self.bias

    def probabilities(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The logistic function of the scores, in (0, 1), shape (rows,)."""
        return 1.0 / (1.0 + np.exp(-np.clip(self.scores(features), -30, 30)))


@cache
def learned(name: str) -> Mapping[str, Mapping[str, float]]:
    """The weights of a model by part and feature, as ``weights/NAME.json`` of this package has them."""
    text = files(__package__).joinpath("weights", f"{name}.json").read_text(encoding="utf-8")
    parts: Mapping[str, Mapping[str, float]] = json.loads(text)["weights"]
    return parts
