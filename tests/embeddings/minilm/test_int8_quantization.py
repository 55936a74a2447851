"""The network in eight bits: near to the original, the same in every batch, and in a vector space of its own."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.typing import NDArray

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.loading import embedder_name, load_embedder
from polyadic.embeddings.minilm import onnx_session as network_module
from polyadic.embeddings.minilm.checksums import SAFETENSORS_SHA256
from polyadic.embeddings.minilm.embedder import MiniLM
from polyadic.embeddings.minilm.graph_cache import cached_graph, cached_int8_graph
from polyadic.embeddings.minilm.int8_quantization import copied, rounded
from polyadic.embeddings.minilm.weights import ModelFiles
from polyadic.embeddings.onnx_runtime import PROBE, PROBE_EXACT, open_session
from polyadic.errors import WeightsAltered, WeightsMissing
from tests.embeddings.conftest import place
from tests.embeddings.minilm.test_embedder import TEXTS

SENTENCES = [
    "Who was the second president of the college that she attended?",
    "The glacier lost a third of its length between 1900 and 2015.",
    "Both bands were formed in Gothenburg, one in 1990, the other in 1993.",
    "Photosynthesis turns light into chemical energy.",
    "El puente fue construido por un ingeniero escocés.",
]


@pytest.fixture(scope="module")
def coarse(weights: ModelFiles) -> MiniLM:
    return MiniLM(weights, threads=2, int8=True)


def embed(model: MiniLM, texts: list[str]) -> NDArray[np.float32]:
    return asyncio.run(model.embed(texts))


@pytest.mark.weights
def test_int8_vectors_are_close_to_float_vectors(coarse: MiniLM, weights: ModelFiles) -> None:
    whole, found = (embed(model, [*SENTENCES, *TEXTS]) for model in (MiniLM(weights), coarse))
    cosines = (whole * found).sum(axis=1)
    assert cosines.min() > 0.99
    assert cosines[: len(SENTENCES)].min() > 0.998
    # It is another computation: float32 under another name would be nearer.
    assert cosines.max() < 0.9999


@pytest.mark.weights
def test_vector_does_not_depend_on_the_batch(coarse: MiniLM) -> None:
    together = embed(coarse, TEXTS * 5)
    alone = np.concatenate([embed(coarse, [text]) for text in TEXTS])
    # What lies just between two steps may be rounded either way.
    assert (together * np.tile(alone, (5, 1))).sum(axis=1).min() > 0.9995


@pytest.mark.weights
def test_slower_matmul_gives_nearly_equal_vectors(weights: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = embed(MiniLM(weights, int8=True), SENTENCES)
    monkeypatch.setattr(network_module, "_products_exact", lambda session: False)
    slow = embed(MiniLM(weights, int8=True), SENTENCES)
    assert (fast * slow).sum(axis=1).min() > 0.9995


@pytest.mark.weights
def test_matmul_is_exact_if_configured(weights: ModelFiles) -> None:
    file = weights.network.resolve()
    graph = cached_int8_graph(ModelFiles(weights.tokenizer, file), SAFETENSORS_SHA256)
    one = np.ones((1, 1), np.int64)
    session = open_session(graph, file.parent, exact_products=True)
    (found,) = session.run([PROBE], {"input_ids": one, "attention_mask": one})
    assert (found == PROBE_EXACT).all()


def test_int8_model_has_its_own_name(tiny: dict[str, bytes], tmp_path: Path) -> None:
    chosen = EmbeddingSettings(folder=place(tmp_path, tiny))
    assert load_embedder(chosen).name == embedder_name(chosen) == "all-MiniLM-L6-v2-int8"
    assert embedder_name(EmbeddingSettings(model="minilm")) == "all-MiniLM-L6-v2"


def test_int8_graph_is_refused_for_another_graph(tiny: dict[str, bytes], tmp_path: Path, cache: Path) -> None:
    folder = place(tmp_path / "given", {"model.onnx": b"", "tokenizer.json": tiny["tokenizer.json"]})
    with pytest.raises(WeightsMissing, match=r"model\.safetensors"):
        load_embedder(EmbeddingSettings(folder=folder))
    assert load_embedder(EmbeddingSettings(model="minilm", folder=folder)).name == "all-MiniLM-L6-v2"


def test_int8_graph_is_refused_for_other_weights(tiny: dict[str, bytes], tmp_path: Path, cache: Path) -> None:
    model = load_embedder(EmbeddingSettings(model="minilm-int8", folder=place(tmp_path / "given", tiny)))
    with pytest.raises(WeightsAltered):
        asyncio.run(model.embed(["a text"]))


def test_both_graphs_are_cached_side_by_side(
    cache: Path, tiny: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place(tmp_path, tiny)
    weights = ModelFiles(folder / "tokenizer.json", folder / "model.safetensors")
    monkeypatch.setattr(
        "polyadic.embeddings.minilm.int8_quantization.build_int8_graph", lambda weights: b"in eight bits"
    )
    assert cached_int8_graph(weights, "a") == b"in eight bits"
    assert cached_graph(weights.network, "a") != b"in eight bits"
    monkeypatch.setattr("polyadic.embeddings.minilm.int8_quantization.build_int8_graph", lambda weights: b"built again")
    assert cached_int8_graph(weights, "a") == b"in eight bits"
    assert len(list((cache / "graphs").iterdir())) == 2


@settings(deadline=None)
@given(st_numpy.arrays(np.float32, (3, 8), elements=st.integers(-1000, 1000).map(lambda tenths: tenths / 10)))
def test_quantization_error_is_at_most_half_a_step(weight: NDArray[np.float32]) -> None:
    numbers, worth = rounded(weight)
    assert np.abs(numbers.astype(int)).max() <= 127
    assert (np.abs(numbers * worth[:, None] - weight) <= worth[:, None] * 0.5001).all()


@settings(deadline=None)
@given(st.lists(st.floats(0.0625, 100, width=32), min_size=1, max_size=50), st.integers(0, 40))
def test_duplicated_columns_are_those_with_the_largest_share(high: list[float], copies: int) -> None:
    widest = np.array(high, np.float32)
    times = copied(widest, copies)
    assert times.min() >= 1 and times.sum() == len(high) + copies
    # No neuron's share is larger than that of one was before it got its last copy.
    before = [each / (time - 1) for each, time in zip(widest, times, strict=True) if time > 1]
    assert not before or (widest / times).max() <= min(before) * 1.0001
