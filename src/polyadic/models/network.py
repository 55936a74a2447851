"""The network of all-MiniLM-L6-v2 on onnxruntime: tokens in, vectors out."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyadic.models.genuine import SAFETENSORS_SHA256, altered, require_genuine
from polyadic.models.graph_cache import cached_graph
from polyadic.models.weights import Weights

# Unless this is set before it is imported, onnxruntime reports its use to Microsoft.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime  # type: ignore[import-untyped]

# "[CLS] a fact joins many things [SEP]" and how its vector begins. A graph that says otherwise is another
# model, or too coarsely quantised for its vectors to be compared with those of this one.
_PROBE = (101, 1037, 2755, 9794, 2116, 2477, 102)
_PROBE_BEGINS = (0.04573, 0.02759, 0.00832, 0.01397, 0.02406, 0.05961, 0.08789, 0.0)
_TOLERANCE = 1e-3


class Network:
    """Transformer, mean pooling and normalisation. Several threads may use it at once.

    Raises
    ------
    WeightsAltered
        The files are not those of all-MiniLM-L6-v2.
    """

    def __init__(self, weights: Weights) -> None:
        given = weights.network.suffix == ".onnx"
        self._session = _session_given(weights.network) if given else _session_over(weights.network)

    def vectors(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The vectors of some texts, given their tokens: shape (n, 384), rows of length 1."""
        return _vectors(self._session, ids)


def _vectors(session: onnxruntime.InferenceSession, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    lengths = np.array([len(row) for row in ids])
    mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
    tokens = np.zeros_like(mask)
    tokens[mask == 1] = np.concatenate([np.asarray(row, np.int64) for row in ids])
    everything = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}
    states = session.run(None, {entry.name: everything[entry.name] for entry in session.get_inputs()})[0]
    # The sum over a text's tokens points where their mean does. (Unlike matmul, einsum starts no threads.)
    sums: NDArray[np.float32] = np.einsum("nl,nld->nd", mask.astype(np.float32), states)
    sums /= np.linalg.norm(sums, axis=1, keepdims=True)
    return sums


def _session_given(graph: Path) -> onnxruntime.InferenceSession:
    try:
        session = _session(str(graph))
        same = np.abs(_vectors(session, [_PROBE])[0, : len(_PROBE_BEGINS)] - _PROBE_BEGINS).max() < _TOLERANCE
    except Exception as problem:
        # The runtime has no common error for a graph that is damaged, cut short or of another kind.
        raise altered(graph) from problem
    if not same:
        raise altered(graph)
    return session


def _session_over(safetensors: Path) -> onnxruntime.InferenceSession:
    # A hub's cache holds links, which the runtime refuses to follow out of their folder.
    file = safetensors.resolve()
    require_genuine(file, SAFETENSORS_SHA256)
    return _session(cached_graph(file, SAFETENSORS_SHA256), file.parent)


def _session(graph: str | bytes, data: Path | None = None) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # A batch has one thread, and there are several batches at once: as fast as several threads for one batch,
    # and far faster on a busy machine, where the threads of a batch would wait for each other.
    options.intra_op_num_threads = 1
    # Every batch has another shape: remembering how memory was used for each one would only fill memory.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    if data:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(data))
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
