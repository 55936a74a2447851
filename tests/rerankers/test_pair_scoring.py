"""The cross-encoders of the package: whether a sentence answers a question, and whether it supports a claim."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import ModelFiles, find_weights
from polyadic.errors import WeightsMissing
from polyadic.rerankers.loading import load_pair_scorer
from polyadic.rerankers.pair_scoring.adapter import load_adapter
from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION, CLAIM_SUPPORT, PairModel
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from tests.embeddings.minilm.reference import Reference

LEASE = "Lease : Deposit"
QUESTION = "When do I get my money back?"
CLAIM = "You get the deposit back within a month of giving up the keys."
RIGHT = (LEASE, "The deposit is returned within 30 days after the keys are handed in.")
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
def selector(files: ModelFiles) -> PairScorer:
    return PairScorer(files, ANSWER_SELECTION)


@pytest.fixture(scope="module")
def judge(files: ModelFiles) -> PairScorer:
    return PairScorer(files, CLAIM_SUPPORT)


def scores(scorer: PairScorer, first: str, *seconds: tuple[str, str]) -> NDArray[np.float64]:
    return asyncio.run(scorer.scores(first, seconds))


def test_the_sentence_that_answers_is_likeliest(selector: PairScorer) -> None:
    right, *wrong = scores(selector, QUESTION, RIGHT, *OTHERS)
    assert right > 0 and right > max(wrong)


def test_no_sentence_answers_what_no_sentence_says(selector: PairScorer) -> None:
    assert scores(selector, "Who pays for the window?", RIGHT, *OTHERS).max() < 0


def test_the_sentence_that_supports_a_claim_is_likeliest(judge: PairScorer) -> None:
    right, *wrong = scores(judge, CLAIM, RIGHT, *OTHERS)
    assert right > 0 > max(wrong)


@pytest.mark.parametrize(
    "claim",
    [
        "Only half of the deposit is returned within 30 days.",
        "The deposit is returned before the keys are handed in.",
        "The landlord never returns the deposit.",
        "The deposit is returned with interest within 30 days after the keys are handed in.",
    ],
)
def test_a_claim_that_differs_from_its_sentence_is_less_likely(judge: PairScorer, claim: str) -> None:
    assert scores(judge, claim, RIGHT)[0] < scores(judge, CLAIM, RIGHT)[0] - 1


@pytest.mark.parametrize("model", [ANSWER_SELECTION, CLAIM_SUPPORT])
def test_logits_are_those_of_the_network_with_the_adapter(model: PairModel, files: ModelFiles) -> None:
    changes = load_adapter(model.adapter)
    original = Reference(files.network)
    products = [name.removesuffix(".up") for name in changes if name.endswith(".up")]
    merged = {name: original.original(name) + changes[f"{name}.up"] @ changes[f"{name}.down"] for name in products}
    reference = Reference(files.network, changes | merged)
    tokenizer = PairTokenizer(WordPiece(files.tokenizer.read_bytes()), model)
    for pair, found in zip([RIGHT, *OTHERS], scores(PairScorer(files, model), QUESTION, RIGHT, *OTHERS), strict=True):
        inputs = tokenizer.inputs(QUESTION, [pair])
        expected = reference.logit(inputs["input_ids"][0].tolist(), inputs["token_type_ids"][0].tolist())
        # In 8 bits; logits of right and wrong sentences are several units apart.
        assert found == pytest.approx(expected, abs=0.8)


def test_a_logit_does_not_depend_on_the_other_sentences(selector: PairScorer) -> None:
    together = scores(selector, QUESTION, RIGHT, *OTHERS)
    apart = [scores(selector, QUESTION, pair)[0] for pair in (RIGHT, *OTHERS)]
    assert together == pytest.approx(apart, abs=0.05)


@pytest.mark.parametrize("model", [ANSWER_SELECTION, CLAIM_SUPPORT])
def test_long_and_broken_texts_are_judged(model: PairModel, files: ModelFiles) -> None:
    long = (LEASE * 500, "money " * 5_000)
    scorer = PairScorer(files, model)
    found = scores(scorer, "word " * 3_000, long, ("", "\ud800 \x00"))
    assert found.shape == (2,) and np.isfinite(found).all()
    assert scores(scorer, QUESTION).shape == (0,)


def test_other_embedders_have_no_cross_encoder(tmp_path: Path) -> None:
    assert load_pair_scorer(ANSWER_SELECTION, EmbeddingSettings(model="hashing")) is None
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).touch()
    assert load_pair_scorer(ANSWER_SELECTION, EmbeddingSettings(folder=tmp_path)) is None
