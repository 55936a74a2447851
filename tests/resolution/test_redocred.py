"""What docs/quality.md claims of merges that nobody looked at, on documents that people annotated."""

import os
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.evaluation.resolution_eval import agreement, fill, read
from polyadic.model.resolution import NO_DECISIONS, EntityResolution
from polyadic.resolution.merge_candidates import CERTAIN, CandidatePairs
from polyadic.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.data]


def test_automatic_merges_have_95_percent_precision(tmp_path: Path) -> None:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with redocred-dev")
    documents = read(Path(folder) / "redocred-dev")
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        fill(kb, documents)
        with kb.store().read() as reader:
            found = CandidatePairs.of(reader)
        merged = kb.entities.merge_automatically().outcome.decided
        assert {decision.id for decision in merged} == {decision.id for decision in found.merges(CERTAIN)}
        with kb.store().read() as reader:
            resolution = reader.records.resolution()
        assert kb.store().problems() == []
    before, after = agreement(documents, NO_DECISIONS), agreement(documents, resolution)
    assert resolution == EntityResolution.of(merged)
    assert after.precision >= 0.95
    assert (after.both - before.both) / (after.ours - before.ours) >= 0.95
    assert after.recall >= before.recall + 0.02
