"""Adapters: what a cross-encoder changes in the embedder's weights."""

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray


def load_adapter(name: str) -> dict[str, NDArray[np.float32]]:
    """Read the arrays of an adapter: replaced weights by name, and ``NAME.down`` and ``NAME.up`` of changed ones."""
    with _file(name).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return {array: arrays[array].astype(np.float32) for array in arrays.files}


def adapter_digest(name: str) -> str:
    """Return the SHA-256 of its file, on which the graph depends."""
    return hashlib.sha256(_file(name).read_bytes()).hexdigest()


def _file(name: str) -> Traversable:
    return files(__package__) / "adapters" / f"{name}.npz"
