"""What is done for a document, by how it was cut and read before."""

from dataclasses import replace

import pytest

from polyadic.construction.recipe import NOTHING_TO_DO, Recipe, Work
from polyadic.settings import ChunkingSettings
from polyadic.store.protocol import Stamp

CUT = ChunkingSettings()
SENTENCES = Recipe("sentences-2", False, CUT)
OLDER = Recipe("sentences-1", False, CUT)
MODEL = Recipe("large facts-1 0a", True, CUT)
OTHER_PROMPT = Recipe("large facts-1 0b", True, CUT)
OTHER_CUT = Recipe("large facts-1 0a", True, ChunkingSettings(tokens=600))


@pytest.mark.parametrize(
    ("wanted", "was", "anew", "work"),
    [
        (SENTENCES, None, False, Work.ADD),
        (SENTENCES, SENTENCES, False, Work.NONE),
        (SENTENCES, SENTENCES, True, Work.NONE),
        (SENTENCES, OLDER, False, Work.REREAD),
        (MODEL, MODEL, True, Work.NONE),
        (MODEL, SENTENCES, False, Work.OUTDATED),
        (SENTENCES, MODEL, False, Work.OUTDATED),
        (OTHER_PROMPT, MODEL, False, Work.OUTDATED),
        (OTHER_CUT, MODEL, False, Work.OUTDATED),
        (MODEL, SENTENCES, True, Work.REREAD),
        (SENTENCES, MODEL, True, Work.REREAD),
        (OTHER_PROMPT, MODEL, True, Work.REREAD),
        (OTHER_CUT, MODEL, True, Work.REREAD),
    ],
)
def test_nothing_that_was_paid_for_is_read_again_unasked(
    wanted: Recipe, was: Recipe | None, anew: bool, work: Work
) -> None:
    stamp = was.stamp("content") if was else None
    assert wanted.work_for("content", stamp, anew) is work
    assert (work in NOTHING_TO_DO) == (work in (Work.NONE, Work.OUTDATED))


@pytest.mark.parametrize("wanted", [SENTENCES, MODEL])
@pytest.mark.parametrize("was", [SENTENCES, MODEL, OTHER_PROMPT])
def test_a_changed_document_is_always_read(wanted: Recipe, was: Recipe) -> None:
    assert wanted.work_for("content", was.stamp("other content"), False) is Work.CHANGE


def test_failed_chunks_are_tried_again_in_the_way_they_were_read() -> None:
    incomplete = replace(MODEL.stamp("content"), complete=False)
    assert MODEL.work_for("content", incomplete, False) is Work.RESUME
    assert SENTENCES.work_for("content", incomplete, False) is Work.OUTDATED
    assert OTHER_PROMPT.work_for("content", incomplete, True) is Work.REREAD


def test_the_stamp_names_the_extractor_and_the_recipe_all_that_matters() -> None:
    assert MODEL.stamp("content") == Stamp("content", str(MODEL), "large facts-1 0a")
    recipes = [SENTENCES, OLDER, MODEL, OTHER_PROMPT, OTHER_CUT, Recipe("sentences-2", False, OTHER_CUT.chunking)]
    assert len({str(recipe) for recipe in recipes}) == len(recipes)
    # What was read before there were models is not read again because there are some now.
    assert "paid" not in str(SENTENCES)
