"""What is done for a document, by how it was cut and read before."""

from dataclasses import replace

import pytest

from polyadic.config import ChunkingSettings
from polyadic.indexing.fingerprint import NOTHING_TO_DO, PipelineConfig, ReindexAction
from polyadic.storage.protocol import Fingerprint

CUT = ChunkingSettings()
SENTENCES = PipelineConfig("sentences-2", False, CUT)
OLDER = PipelineConfig("sentences-1", False, CUT)
MODEL = PipelineConfig("large facts-1 0a", True, CUT)
OTHER_PROMPT = PipelineConfig("large facts-1 0b", True, CUT)
OTHER_CUT = PipelineConfig("large facts-1 0a", True, ChunkingSettings(tokens=600))


@pytest.mark.parametrize(
    ("wanted", "was", "reextract", "work"),
    [
        (SENTENCES, None, False, ReindexAction.ADD),
        (SENTENCES, SENTENCES, False, ReindexAction.NONE),
        (SENTENCES, SENTENCES, True, ReindexAction.NONE),
        (SENTENCES, OLDER, False, ReindexAction.REREAD),
        (MODEL, MODEL, True, ReindexAction.NONE),
        (MODEL, SENTENCES, False, ReindexAction.OUTDATED),
        (SENTENCES, MODEL, False, ReindexAction.OUTDATED),
        (OTHER_PROMPT, MODEL, False, ReindexAction.OUTDATED),
        (OTHER_CUT, MODEL, False, ReindexAction.OUTDATED),
        (MODEL, SENTENCES, True, ReindexAction.REREAD),
        (SENTENCES, MODEL, True, ReindexAction.REREAD),
        (OTHER_PROMPT, MODEL, True, ReindexAction.REREAD),
        (OTHER_CUT, MODEL, True, ReindexAction.REREAD),
    ],
)
def test_paid_documents_are_not_reextracted_by_default(
    wanted: PipelineConfig, was: PipelineConfig | None, reextract: bool, work: ReindexAction
) -> None:
    stamp = was.stamp("content") if was else None
    assert wanted.work_for("content", stamp, reextract) is work
    assert (work in NOTHING_TO_DO) == (work in (ReindexAction.NONE, ReindexAction.OUTDATED))


@pytest.mark.parametrize("wanted", [SENTENCES, MODEL])
@pytest.mark.parametrize("was", [SENTENCES, MODEL, OTHER_PROMPT])
def test_changed_documents_are_always_reindexed(wanted: PipelineConfig, was: PipelineConfig) -> None:
    assert wanted.work_for("content", was.stamp("other content"), False) is ReindexAction.CHANGE


def test_failed_chunks_are_retried_with_their_extractor() -> None:
    incomplete = replace(MODEL.stamp("content"), complete=False)
    assert MODEL.work_for("content", incomplete, False) is ReindexAction.RESUME
    assert SENTENCES.work_for("content", incomplete, False) is ReindexAction.OUTDATED
    assert OTHER_PROMPT.work_for("content", incomplete, True) is ReindexAction.REREAD


def test_fingerprint_names_the_extractor_and_all_settings_that_matter() -> None:
    assert MODEL.stamp("content") == Fingerprint("content", str(MODEL), "large facts-1 0a")
    recipes = [
        SENTENCES,
        OLDER,
        MODEL,
        OTHER_PROMPT,
        OTHER_CUT,
        PipelineConfig("sentences-2", False, OTHER_CUT.chunking),
    ]
    assert len({str(recipe) for recipe in recipes}) == len(recipes)
    # What was read before there were models is not read again because there are some now.
    assert "paid" not in str(SENTENCES)
