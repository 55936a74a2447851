"""Run the network of all-MiniLM-L6-v2 on onnxruntime: token ids to vectors."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyadic.embeddings.minilm.checksums import SAFETENSORS_SHA256, altered_files, verify_checksums
from polyadic.embeddings.minilm.graph_cache import cached_graph, cached_int8_graph
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.embeddings.onnx_runtime import PROBE, PROBE_EXACT, open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

# "[CLS] a fact joins many things [SEP]" and the beginning of its vector. A graph with another result is another model,
# or too coarsely quantized for its vectors to be comparable.
_PROBE = (101, 1037, 2755, 9794, 2116, 2477, 102)
_PROBE_BEGINS = (0.04573, 0.02759, 0.00832, 0.01397, 0.02406, 0.05961, 0.08789, 0.0)
_TOLERANCE = 1e-3


class OnnxSession:
    """Transformer, mean pooling and normalization; thread-safe.

    Raises
    ------
    WeightsAltered
        The files do not belong to all-MiniLM-L6-v2.
    """

    def __init__(self, weights: ModelFiles, *, int8: bool = False) -> None:
        if weights.network.suffix == ".onnx":
            self._session = _verified_session(weights.network)
        else:
            self._session = _weights_session(weights, int8)

    def vectors(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the vectors of texts given as token ids: shape (n, 384), rows of length 1."""
        return _vectors(self._session, ids)


def _vectors(session: "InferenceSession", ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    lengths = np.array([len(row) for row in ids])
    mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
    tokens = np.zeros_like(mask)
    tokens[mask == 1] = np.concatenate([np.asarray(row, np.int64) for row in ids])
    everything = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}
    states = session.run(None, {entry.name: everything[entry.name] for entry in session.get_inputs()})[0]
    # The sum over a text's tokens has the direction of their mean. (Unlike matmul, einsum starts no threads.)
    sums: NDArray[np.float32] = np.einsum("nl,nld->nd", mask.astype(np.float32), states)
    sums /= np.linalg.norm(sums, axis=1, keepdims=True)
    return sums


def _verified_session(graph: Path) -> "InferenceSession":
    try:
        session = open_session(str(graph))
        same = np.abs(_vectors(session, [_PROBE])[0, : len(_PROBE_BEGINS)] - _PROBE_BEGINS).max() < _TOLERANCE
    except Exception as problem:
        # The runtime has no common exception for damaged, truncated or unrelated graphs.
        raise altered_files(graph) from problem
    if not same:
        raise altered_files(graph)
    return session


def _weights_session(weights: ModelFiles, int8: bool) -> "InferenceSession":
    # The Hugging Face cache contains links, which the runtime refuses to follow out of their folder.
    file = weights.network.resolve()
    verify_checksums(file, SAFETENSORS_SHA256)
    if not int8:
        return open_session(cached_graph(file, SAFETENSORS_SHA256), file.parent, graphics=True)
    return open_int8_session(cached_int8_graph(ModelFiles(weights.tokenizer, file), SAFETENSORS_SHA256), file.parent)


def open_int8_session(graph: bytes, data: Path) -> "InferenceSession":
    """Open a session for a graph with eight-bit products; ``data`` is the folder of its external weights."""
    session = open_session(graph, data)
    # On processors without the instructions for it, the fast products overflow.
    return session if _products_exact(session) else open_session(graph, data, exact_products=True)


def _products_exact(session: "InferenceSession") -> bool:
    one = np.ones((1, 1), np.int64)
    (result,) = session.run([PROBE], {entry.name: one for entry in session.get_inputs()})
    return bool((result == PROBE_EXACT).all())
