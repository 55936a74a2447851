"""The cached graph: used while it is whole, built anew otherwise."""

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from polyadic.embeddings.minilm.graph_cache import cached_graph
from polyadic.embeddings.minilm.onnx_graph import build_graph
from tests.embeddings.conftest import place


@pytest.fixture
def safetensors(tiny: dict[str, bytes], tmp_path: Path) -> Path:
    return place(tmp_path, tiny) / "model.safetensors"


def test_cached_graph_is_valid_and_references_its_weights(safetensors: Path) -> None:
    model = onnx.load_model_from_string(build_graph(safetensors))
    size = safetensors.stat().st_size
    for tensor in model.graph.initializer:
        where = {entry.key: entry.value for entry in tensor.external_data}
        if where:
            assert where["location"] == "model.safetensors"
            assert int(where["offset"]) + int(where["length"]) <= size
    assert [entry.name for entry in model.graph.input] == ["input_ids", "attention_mask"]


def test_second_load_uses_the_cache(cache: Path, safetensors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = cached_graph(safetensors, "a")
    monkeypatch.setattr("polyadic.embeddings.minilm.onnx_graph.build_graph", lambda weights: b"built again")
    assert cached_graph(safetensors, "a") == graph
    assert cached_graph(safetensors, "b") == b"built again"


@pytest.mark.parametrize("damage", [lambda whole: whole[:-1], lambda whole: whole[:50], lambda whole: b""])
def test_damaged_cache_is_rebuilt(cache: Path, safetensors: Path, damage: Callable[[bytes], bytes]) -> None:
    graph = cached_graph(safetensors, "a")
    (file,) = (cache / "graphs").iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert cached_graph(safetensors, "a") == graph
    assert file.read_bytes() == whole


def test_cache_of_another_version_is_not_used(cache: Path, safetensors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached_graph(safetensors, "a")
    monkeypatch.setattr("polyadic.embeddings.minilm.graph_cache.GRAPH_VERSION", -1)
    monkeypatch.setattr("polyadic.embeddings.minilm.onnx_graph.build_graph", lambda weights: b"built again")
    assert cached_graph(safetensors, "a") == b"built again"


def test_without_a_cache_the_graph_is_built_every_time(cache: Path, safetensors: Path) -> None:
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(b"a file where the folder should be")
    assert cached_graph(safetensors, "a") == build_graph(safetensors)
