"""Deterministic unit vectors for texts, where a test needs vectors but no meaning."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.identity import digest

DIMENSION = 16


def vector(text: str) -> NDArray[np.float32]:
    """Of length 1, and such that products are exact: what is equally near is so wherever it stands in a matrix."""
    drawn = np.random.default_rng(int(digest(text), 16)).integers(2, size=DIMENSION)
    signs: NDArray[np.float32] = (2 * drawn - 1).astype(np.float32)
    return signs / np.float32(np.sqrt(DIMENSION))


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.array([vector(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSION)
