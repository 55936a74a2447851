"""The adapter: what the cross-encoder changes in the embedder's weights.

``python -m benchmarks.answer_selection.training`` trains it.
"""

import hashlib
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

ADAPTER = "adapter.npz"


def load_adapter() -> dict[str, NDArray[np.float32]]:
    """Read its arrays: replaced weights by name, and ``NAME.down`` and ``NAME.up`` of changed ones."""
    with (files(__package__) / ADAPTER).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}


def adapter_digest() -> str:
    """Return the SHA-256 of its file, on which the graph depends."""
    return hashlib.sha256((files(__package__) / ADAPTER).read_bytes()).hexdigest()
