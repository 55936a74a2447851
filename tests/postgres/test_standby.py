"""Questions are answered by a standby too, so that a primary need not bear them all."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.crashes.commands import COMMAND, ended, started
from tests.support.own_server import own_folder, own_server, standby

pytestmark = pytest.mark.slow

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"))
QUESTION = "Who wrote to Mira Falk?"


@pytest.fixture(scope="module")
def places() -> Iterator[tuple[str, str]]:
    """A workspace as the primary and as the standby have it."""
    with own_folder() as folder, own_folder() as other, own_server(folder) as primary:
        place = f"{primary.database}#letters"
        with Workspace(place, SETTINGS) as kb:
            kb.add([Document("memory:first", "Letters", "Jonas Orth wrote to Mira Falk in Turin.")])
        with standby(primary, other) as database:
            yield place, f"{database}#letters"


def test_a_standby_answers_as_the_primary_does(places: tuple[str, str]) -> None:
    answers = []
    for place in places:
        with Workspace(place, SETTINGS) as kb:
            answers.append([kb.query(QUESTION, method=method) for method in ("walk", "hypergraph", "hipporag2")])
    for primary, other in zip(*answers, strict=True):
        assert primary.text == other.text and "Jonas Orth" in primary.text


def test_standby_sees_committed_changes(places: tuple[str, str]) -> None:
    with Workspace(places[0], SETTINGS) as kb, Workspace(places[1], SETTINGS) as follower:
        before = follower.status().counts.documents
        kb.add([Document("memory:second", "Answers", "Ilse Brandt answered him.")])
        deadline = time.monotonic() + 60
        while follower.status().counts.documents == before:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert "Ilse Brandt" in follower.query("Who answered?").text


def test_writes_to_a_standby_are_refused_in_one_line(places: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("Clara Novak came by.")
    code, said = ended(started(COMMAND, "-w", places[1], "index", str(tmp_path)))
    assert code == 1 and len(said.splitlines()) == 1, said
    assert said.startswith("polyadic: postgresql:///postgres#letters") and "standby" in said
