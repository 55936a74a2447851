"""Deterministic unit vectors for texts, where a test needs vectors but no meaning."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyadic.model.identity import digest
from polyadic.storage.sql.half_precision import rounded, widened

DIMENSION = 16


def vector(text: str) -> NDArray[np.float32]:
    drawn = np.random.default_rng(int(digest(text), 16)).standard_normal(DIMENSION)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.array([vector(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSION)


def kept(texts: Sequence[str]) -> NDArray[np.float32]:
    """As they come out of a store."""
    return widened(rounded(vectors(texts)))
