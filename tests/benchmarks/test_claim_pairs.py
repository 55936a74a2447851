"""Pairs from which the cross-encoder for claims learns."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from benchmarks.answer_selection.averaging import factors
from benchmarks.answer_selection.examples import DOCUMENTS
from benchmarks.claim_support.__main__ import tokenized
from benchmarks.claim_support.pairs import CLAIMS, ClaimPair, own_pairs, public_pairs
from polyadic.embeddings.minilm.tokenizer import WordPiece
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import WeightsMissing
from polyadic.rerankers.pair_scoring.models import CLAIM_SUPPORT
from polyadic.rerankers.pair_scoring.pairs import PairTokenizer


@pytest.mark.parametrize("file", sorted(CLAIMS.glob("*.jsonl")), ids=lambda file: file.stem)
def test_claims_refer_to_sentences_of_their_document(file: Path) -> None:
    documents = [json.loads(line) for line in (DOCUMENTS / file.name).read_text(encoding="utf-8").splitlines()]
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        sentences = sum(len(section["sentences"]) for section in documents[row["document"]]["sections"])
        for claim in row["claims"]:
            assert claim["claim"].strip() and bool(claim["support"]) != bool(claim["near"])
            numbers = [*claim["near"], *(number for group in claim["support"] for number in group)]
            assert all(0 <= number < sentences for number in numbers)


def test_half_of_the_claims_about_a_document_are_paired_with_what_supports_them() -> None:
    pairs = list(own_pairs(random.Random(0)))
    supported = {pair.claim for pair in pairs if pair.is_supported}
    near = {pair.claim for pair in pairs if pair.is_near}
    assert not supported & near
    assert 0.3 < len(supported) / len(supported | near) < 0.6


def test_public_sets_are_read_as_published(tmp_path: Path) -> None:
    fever = [
        {"id": "1", "claim": "Ada sang .", "evidence_sentence": "Ada -LRB- a poet -RRB- sang .", "label": "SUPPORTS"},
        {"id": "2", "claim": "Ada flew .", "evidence": "Ada sang .", "label": "REFUTES"},
    ]
    wice = {
        "claim": "Bo ran.",
        "label": "partially_supported",
        "evidence": ["(meta data) TITLE: Bo", "Bo ran far.", "It rained."],
        "supporting_sentences": [[1, 2], [1]],
    }
    begin = "knowledge\tresponse\tbegin_label\nIt is red .\tRed !\tFully attributable\nIt is red .\tHi\tGeneric\n"
    for name in ("full", "dev", "test"):
        (tmp_path / f"fever_symmetric_{name}.jsonl").write_text("\n".join(map(json.dumps, fever)))
    for name in ("begin_test_wow", "begin_dev_wow", "begin_dev_tc", "begin_dev_cmu"):
        (tmp_path / f"{name}.tsv").write_text(begin)
    for name in ("wice_dev", "wice_test", "wice_tokens_train", "wice_tokens_dev", "wice_tokens_test"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(wice))
    assert set(public_pairs(tmp_path)) == {
        ClaimPair("Ada sang.", "", "Ada (a poet) sang.", True, "fever 1"),
        ClaimPair("Ada flew.", "", "Ada sang.", False, "fever 2"),
        ClaimPair("Red!", "", "It is red.", True, "It is red ."),
        ClaimPair("Bo ran.", "Bo", "Bo ran far.", False, "Bo ran."),
    }


@pytest.mark.weights
def test_pairs_become_arrays_that_tell_claims_from_texts() -> None:
    try:
        tokenizer = PairTokenizer(WordPiece(find_weights().tokenizer.read_bytes()), CLAIM_SUPPORT)
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    public = [ClaimPair("Ada sang.", "Ada", "She sang.", True, "a")]
    own = [ClaimPair("Bo ran far away.", "", "Bo walked.", False, "b", is_near=True)]
    arrays = tokenized(public, own, tokenizer)
    expected = tokenizer.pairs([("Ada sang.", "Ada", "She sang.")])
    assert arrays["ids"][0][: expected["input_ids"].shape[1]].tolist() == expected["input_ids"][0].tolist()
    assert arrays["first"][0] == (expected["token_type_ids"][0] == 0).sum()
    assert arrays["is_supported"].tolist() == [True, False] and arrays["is_own"].tolist() == [False, True]
    assert arrays["is_near"].tolist() == [False, True] and arrays["source"].tolist() == [0, 1]


def test_a_change_of_low_rank_has_exact_factors() -> None:
    chance = np.random.default_rng(0)
    change = (chance.normal(size=(6, 2)) @ chance.normal(size=(2, 9))).astype(np.float32)
    up, down = factors(change, 2)
    assert up.shape == (6, 2) and down.shape == (2, 9)
    assert up @ down == pytest.approx(change, abs=1e-5)
