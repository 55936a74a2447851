"""Networks that were given as a graph, and weights behind links."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from polyadic.embeddings.minilm.onnx_graph import build_graph
from polyadic.embeddings.minilm.onnx_session import OnnxSession
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.errors import WeightsAltered

IDS = [[101, 2040, 2626, 1996, 2034, 2565, 102], [101, 102]]

pytestmark = pytest.mark.weights


@pytest.fixture
def upstream(weights: ModelFiles) -> onnx.ModelProto:
    """A graph as upstream has it: its weights inside, and with an input for segments."""
    model = onnx.load_model_from_string(build_graph(weights.network))
    tensors = load_file(weights.network)
    for tensor in model.graph.initializer:
        if tensor.external_data:
            tensor.CopyFrom(numpy_helper.from_array(tensors[tensor.name], tensor.name))
    model.graph.input.append(helper.make_tensor_value_info("token_type_ids", TensorProto.INT64, ["n", "length"]))
    return model


@pytest.mark.slow
def test_given_graph_gives_equal_vectors(weights: ModelFiles, upstream: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(upstream, path)
    given = OnnxSession(ModelFiles(weights.tokenizer, path)).vectors(IDS)
    np.testing.assert_allclose(given, OnnxSession(weights).vectors(IDS), atol=1e-6)


def test_a_graph_of_another_model_is_refused(weights: ModelFiles, upstream: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    for tensor in upstream.graph.initializer:
        if tensor.name == "encoder.layer.3.output.dense.weight":
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * np.float32(0.9), tensor.name))
    onnx.save(upstream, path)
    with pytest.raises(WeightsAltered, match=r"model\.onnx"):
        OnnxSession(ModelFiles(weights.tokenizer, path))


@pytest.mark.parametrize("content", [b"", b"not a graph", bytes(1000)])
def test_a_damaged_graph_is_refused(weights: ModelFiles, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(WeightsAltered, match=r"model\.onnx"):
        OnnxSession(ModelFiles(weights.tokenizer, path))


def test_symlinked_weights_are_accepted(weights: ModelFiles, tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / "53aa51"
    blob.parent.mkdir()
    shutil.copyfile(weights.network, blob)
    link = tmp_path / "snapshot" / "model.safetensors"
    link.parent.mkdir()
    link.symlink_to(blob)
    linked = OnnxSession(ModelFiles(weights.tokenizer, link)).vectors(IDS)
    np.testing.assert_allclose(linked, OnnxSession(weights).vectors(IDS), atol=1e-6)


def test_altered_weights_are_refused(weights: ModelFiles, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    data = bytearray(weights.network.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(WeightsAltered, match=r"model\.safetensors"):
        OnnxSession(ModelFiles(weights.tokenizer, path))


def test_runtime_telemetry_is_disabled(weights: ModelFiles, tmp_path: Path) -> None:
    code = "import sys, polyadic.embeddings.onnx_runtime as runtime; runtime.onnxruntime.get_available_providers()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], env=environment | places, check=True)
    # What it would report is first collected here, beside a number that it gives to the machine.
    assert not list(tmp_path.rglob("*onnxruntime*"))
