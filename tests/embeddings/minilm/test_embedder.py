"""all-MiniLM-L6-v2: the same as the original, in every batch, at every length."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyadic.embeddings.minilm.checksums import TOKENIZER_SHA256, read_verified
from polyadic.embeddings.minilm.embedder import MiniLM, _batches
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import ModelFiles
from tests.embeddings.conftest import place
from tests.embeddings.minilm.reference import Reference

TEXTS = [
    "Who wrote the first published program?",
    "Ada Lovelace wrote it, in 1843, for Charles Babbage's Analytical Engine.",
    "",
    "¿Dónde está el café? 東京タワー, naïve façade.",
    "word " * 400,
    "x" * 300,
    "half a pair \ud800 and [MASK] a mark",
    "Rivers carry sediment to the sea; " * 5,
]


@pytest.fixture(scope="module")
def model(weights: ModelFiles) -> MiniLM:
    return MiniLM(weights, threads=2)


def embed(model: MiniLM, texts: list[str]) -> NDArray[np.float32]:
    return asyncio.run(model.embed(texts))


@pytest.mark.slow
@pytest.mark.weights
def test_vectors_equal_the_reference_model(model: MiniLM, weights: ModelFiles) -> None:
    reference = Reference(weights.folder / "model.safetensors")
    tokenizer = WordPiece(read_verified(weights.tokenizer, TOKENIZER_SHA256))
    expected = np.array([reference.vector(ids) for ids in tokenizer.ids(TEXTS, model.window)])
    found = embed(model, TEXTS)
    assert (found * expected).sum(axis=1).min() > 0.9999
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.weights
def test_vector_does_not_depend_on_the_batch(model: MiniLM) -> None:
    together = embed(model, TEXTS * 5)
    alone = np.concatenate([embed(model, [text]) for text in TEXTS])
    np.testing.assert_allclose(together, np.tile(alone, (5, 1)), atol=1e-5)


@pytest.mark.weights
def test_shapes_norms_and_meaning(model: MiniLM) -> None:
    assert embed(model, []).shape == (0, model.dimension)
    vectors = embed(model, ["The physician healed her.", "A doctor cured the woman.", "Stock prices fell today."])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.6
    assert vectors[0] @ vectors[2] < 0.2


@pytest.mark.slow
@pytest.mark.weights
def test_order_of_texts_is_kept(model: MiniLM) -> None:
    texts = [f"{'so ' * (number % 7)}number {number}" for number in range(1_100)]
    vectors = embed(model, texts)
    some = [0, 1, 500, 1_023, 1_024, 1_099]
    np.testing.assert_allclose(vectors[some], embed(model, [texts[number] for number in some]), atol=1e-5)


@pytest.mark.weights
def test_text_beyond_the_window_is_ignored(model: MiniLM) -> None:
    full = "word " * model.window
    assert model.token_counts([full]) == [model.window]
    same, shorter = embed(model, [full + "and more", full[:-5]]) @ embed(model, [full])[0]
    assert same > 0.999999 > shorter


@pytest.mark.weights
def test_lengths_count_the_whole_text_without_special_tokens(model: MiniLM) -> None:
    assert model.token_counts([]) == []
    assert model.token_counts(["", "a fact joins many things", "word " * 1_000]) == [0, 5, 1_000]
    assert model.token_counts(["word " * 300_000, "one"]) == [300_000, 1]


@pytest.mark.weights
def test_truncation_handles_text_with_few_tokens_at_its_start(model: MiniLM) -> None:
    spaced = "word" + " " * 30_000 + "other " + "unheard-of " * 10_000
    close = "word other " + "unheard-of " * 100
    assert embed(model, [spaced])[0] @ embed(model, [close])[0] > 0.999999


@pytest.mark.weights
def test_concurrent_calls_give_the_same_vectors(model: MiniLM) -> None:
    async def all_at_once() -> list[NDArray[np.float32]]:
        fresh = MiniLM(model._weights, threads=1)
        return await asyncio.gather(*(fresh.embed([text]) for text in TEXTS))

    np.testing.assert_allclose(np.concatenate(asyncio.run(all_at_once())), embed(model, TEXTS), atol=1e-5)


def test_nothing_is_loaded_before_it_is_needed(tiny: dict[str, bytes], tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from polyadic.embeddings.loading import load_embedder\n"
        "from polyadic.config import EmbeddingSettings\n"
        "load_embedder(EmbeddingSettings(folder=pathlib.Path(sys.argv[1])))\n"
        "sys.exit(any(name in sys.modules for name in ('onnxruntime', 'onnx', 'tokenizers')))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", code, str(place(tmp_path, tiny))]
    assert subprocess.run(command, env=environment, check=False).returncode == 0


@settings(deadline=None)
@given(st.lists(st.integers(2, 256), min_size=1, max_size=300), st.integers(1, 8))
def test_batches_contain_each_text_once_with_little_padding(lengths: list[int], threads: int) -> None:
    batches = _batches(lengths, threads)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[row] for row in batch) <= 1024 for batch in batches)
