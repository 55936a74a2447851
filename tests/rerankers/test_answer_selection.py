"""The cross-encoder that judges whether a sentence answers a question."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import ModelFiles, find_weights
from polyadic.errors import WeightsMissing
from polyadic.rerankers.answer_selection.adapter import load_adapter
from polyadic.rerankers.answer_selection.pairs import PairTokenizer
from polyadic.rerankers.answer_selection.selector import AnswerSelector
from polyadic.rerankers.loading import load_answer_selector
from tests.embeddings.minilm.reference import Reference

LEASE = "Lease : Deposit"
QUESTION = "When do I get my money back?"
ANSWER = (LEASE, "The deposit is returned within 30 days after the keys are handed in.")
OTHERS = [
    (LEASE, "The deposit amounts to two months' rent."),
    ("Lease : Payment", "The rent is due on the third working day of each month."),
    ("", "It rained."),
]

pytestmark = pytest.mark.weights


@pytest.fixture(scope="module")
def files() -> ModelFiles:
    try:
        return find_weights()
    except WeightsMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def selector(files: ModelFiles) -> AnswerSelector:
    return AnswerSelector(files)


def scores(selector: AnswerSelector, question: str, *sentences: tuple[str, str]) -> NDArray[np.float64]:
    return asyncio.run(selector.scores(question, sentences))


def test_the_sentence_that_answers_is_likeliest(selector: AnswerSelector) -> None:
    right, *wrong = scores(selector, QUESTION, ANSWER, *OTHERS)
    assert right > 0 and right > max(wrong)


def test_no_sentence_answers_what_no_sentence_says(selector: AnswerSelector) -> None:
    assert scores(selector, "Who pays for the window?", ANSWER, *OTHERS).max() < 0


def test_logits_are_those_of_the_network_with_the_adapter(selector: AnswerSelector, files: ModelFiles) -> None:
    changes = load_adapter()
    original = Reference(files.network)
    products = [name.removesuffix(".up") for name in changes if name.endswith(".up")]
    merged = {name: original.original(name) + changes[f"{name}.up"] @ changes[f"{name}.down"] for name in products}
    reference = Reference(files.network, changes | merged)
    tokenizer = PairTokenizer(WordPiece(files.tokenizer.read_bytes()))
    for pair, found in zip([ANSWER, *OTHERS], scores(selector, QUESTION, ANSWER, *OTHERS), strict=True):
        inputs = tokenizer.inputs(QUESTION, [pair])
        expected = reference.logit(inputs["input_ids"][0].tolist(), inputs["token_type_ids"][0].tolist())
        # In 8 bits; logits of right and wrong sentences are several units apart.
        assert found == pytest.approx(expected, abs=0.8)


def test_a_logit_does_not_depend_on_the_other_sentences(selector: AnswerSelector) -> None:
    together = scores(selector, QUESTION, ANSWER, *OTHERS)
    apart = [scores(selector, QUESTION, pair)[0] for pair in (ANSWER, *OTHERS)]
    assert together == pytest.approx(apart, abs=0.05)


def test_long_and_broken_texts_are_judged(selector: AnswerSelector) -> None:
    found = scores(selector, "word " * 3_000, (LEASE * 500, "money " * 5_000), ("", "\ud800 \x00"))
    assert found.shape == (2,)
    assert np.isfinite(found).all()
    assert scores(selector, QUESTION).shape == (0,)


def test_other_embedders_have_none(tmp_path: Path) -> None:
    assert load_answer_selector(EmbeddingSettings(model="hashing")) is None
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "model.onnx").write_bytes(b"")
    assert load_answer_selector(EmbeddingSettings(folder=tmp_path)) is None
