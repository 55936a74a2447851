"""The embedder without weights."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyadic.embeddings.hashing_embedder import HashingEmbedder

TEXTS = st.text(st.characters(codec=None), max_size=60)


def embed(texts: list[str], dimension: int = 384) -> NDArray[np.float32]:
    return asyncio.run(HashingEmbedder(dimension).embed(texts))


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=6), st.integers(1, 50))
def test_every_text_has_one_unit_vector(texts: list[str], dimension: int) -> None:
    vectors = embed(texts, dimension)
    assert vectors.shape == (len(texts), dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_a_vector_does_not_depend_on_the_other_texts(texts: list[str]) -> None:
    together = embed(texts)
    alone = np.concatenate([embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_vectors_are_the_same_on_every_machine() -> None:
    (vector,) = embed(["Ada Lovelace wrote the first published program."])
    strongest = np.argsort(-np.abs(vector))[:3]
    assert [(int(place), round(float(vector[place]), 4)) for place in strongest] == [
        (186, -0.4164),
        (112, -0.4164),
        (150, 0.3644),
    ]


def test_shared_words_make_texts_similar_in_any_case_and_order() -> None:
    question, answer, other = embed(
        [
            "who wrote the first program",
            "The first PROGRAM was written by Ada",
            "Rivers carry sediment to the sea",
        ]
    )
    assert question @ answer > 0.3 > abs(question @ other)
    one, reverse = embed(["alpha beta gamma delta", "delta gamma beta alpha"])
    assert 0.8 < one @ reverse < 0.999


def test_empty_wordless_and_many_texts_are_embedded() -> None:
    assert embed([]).shape == (0, 384)
    assert (embed([""]) == embed(["?!"])).all()
    texts = [f"text number {number}" for number in range(3_000)]
    np.testing.assert_allclose(embed(texts)[[0, 1023, 1024, 2999]], embed([texts[n] for n in (0, 1023, 1024, 2999)]))


def test_lengths_count_words() -> None:
    assert HashingEmbedder().token_counts(["", "one, two", "東京"]) == [0, 2, 1]


@pytest.mark.parametrize(("dimension", "name"), [(384, "hashing-384"), (64, "hashing-64")])
def test_name_identifies_the_vector_space(dimension: int, name: str) -> None:
    assert HashingEmbedder(dimension).name == name
