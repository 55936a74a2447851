"""What docs/quality.md claims of merges that nobody looked at, on documents that people annotated."""

import os
from pathlib import Path

import pytest

from polyadic.evaluation.who_is_who import agreement, fill, read
from polyadic.overlay import NO_OVERLAY, Overlay
from polyadic.resolution.candidates import SURE, Found
from polyadic.settings import EmbeddingSettings, Settings
from polyadic.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.data]


def test_what_is_merged_unseen_is_right_in_19_of_20_pairs(tmp_path: Path) -> None:
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with redocred-dev")
    documents = read(Path(folder) / "redocred-dev")
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as kb:
        fill(kb, documents)
        with kb.store().read() as reader:
            found = Found.of(reader)
        merged = kb.entities.merge_sure().outcome.decided
        assert {decision.id for decision in merged} == {decision.id for decision in found.merges(SURE)}
        with kb.store().read() as reader:
            overlay = reader.overlay()
        assert kb.store().problems() == []
    before, after = agreement(documents, NO_OVERLAY), agreement(documents, overlay)
    assert overlay == Overlay.of(merged)
    assert after.precision >= 0.95
    assert (after.both - before.both) / (after.ours - before.ours) >= 0.95
    assert after.recall >= before.recall + 0.02
