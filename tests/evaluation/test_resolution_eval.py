"""Which mentions are put together, against what people marked."""

import json
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.evaluation.resolution_eval import agreement, fill, read
from polyadic.model.resolution import NO_DECISIONS, DecisionKind, EntityResolution, ResolutionDecision
from polyadic.workspace import Workspace

ITEM = {
    "_id": "d1",
    "sentences": ["Ada met Babbage .", "Lovelace wrote , and Ada ( a ship ) sailed to Babbage ."],
    "entities": [
        {"type": "PER", "mentions": [{"name": "Ada", "sentence": 0}, {"name": "Lovelace", "sentence": 1}]},
        {"type": "PER", "mentions": [{"name": "Babbage", "sentence": 0}, {"name": "Babbage", "sentence": 1}]},
        {"type": "MISC", "mentions": [{"name": "Ada", "sentence": 1}]},
    ],
}


def test_pairs_of_mentions_are_counted(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text(json.dumps(ITEM) + "\n")
    documents = read(tmp_path)
    before = agreement(documents, NO_DECISIONS)
    assert (before.ours, before.theirs, before.both) == (2, 2, 1)
    merged = agreement(
        documents, EntityResolution.of([ResolutionDecision(DecisionKind.MERGE, ("Ada", "Lovelace"), "Ada")])
    )
    assert merged.precision == pytest.approx(0.5)
    assert merged.recall == pytest.approx(1.0)


def test_annotated_documents_are_indexed_by_their_annotations(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text(json.dumps(ITEM) + "\n")
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        fill(kb, read(tmp_path))
        assert [fact.text for fact in kb.facts_of("Lovelace")] == [
            "Lovelace wrote, and Ada (a ship) sailed to Babbage."
        ]
        assert {fact.text for fact in kb.facts_of("Babbage")} > {"Ada met Babbage."}
