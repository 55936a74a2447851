"""polyadic index --watch, as a process of its own: changes, deletions, bad documents, and how it ends."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyadic.workspace import Workspace
from tests.cli.conftest import ADA, BABBAGE, Command
from tests.model_server import ModelServer, Status, ready
from tests.server.running_server import wait_until
from tests.support.with_a_model import story, write_letters

pytestmark = pytest.mark.slow


@dataclass
class Watching:
    """A process that watches; ``log`` is the file of what it says."""

    folder: Path
    log: Path
    process: "subprocess.Popen[bytes] | None" = None

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "polyadic", "index", "--watch", *arguments]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        return self.process

    @property
    def said(self) -> str:
        return self.log.read_text()


@pytest.fixture
def watching(polyadic: Command, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watching]:
    watching = Watching(tmp_path, tmp_path_factory.mktemp("log") / "said")
    yield watching
    if watching.process is not None:
        watching.process.kill()
        watching.process.wait()


def names() -> set[str]:
    """The file names of all documents in the workspace of the current folder."""
    with Workspace() as kb:
        return {Path(record.source).name for record in kb.documents()} if kb.home.exists() else set()


def folders_of(name: str) -> list[str]:
    with Workspace() as kb:
        return [Path(record.source).parent.name for record in kb.documents() if record.source.endswith(name)]


def test_changes_and_deletions_are_indexed_and_ctrl_c_ends_cleanly(notes: Path, watching: Watching) -> None:
    process = watching.start("notes")
    wait_until(lambda: names() == {"ada.md", "babbage.md"})
    (notes / "letters").mkdir()
    (notes / "letters" / "byron.md").write_text("Lord Byron was the father of Ada Lovelace.")
    wait_until(lambda: "byron.md" in names())
    (notes / "babbage.md").unlink()
    wait_until(lambda: "babbage.md" not in names())
    (notes / "letters").rename(notes / "old")
    wait_until(lambda: folders_of("byron.md") == ["old"])
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert watching.said.rstrip().endswith("stopped watching; finished work is kept")


def test_a_bad_document_does_not_stop_it(notes: Path, watching: Watching) -> None:
    process = watching.start("notes")
    wait_until(lambda: len(names()) == 2)
    (notes / "broken.pdf").write_bytes(b"no pdf")
    wait_until(lambda: "broken.pdf" in watching.said)
    (notes / "after.md").write_text(ADA)
    wait_until(lambda: "after.md" in names())
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0


def test_documents_of_a_missing_folder_are_kept_until_it_is_back(notes: Path, watching: Watching) -> None:
    watching.start("notes")
    wait_until(lambda: len(names()) == 2)
    shutil.rmtree(notes)
    wait_until(lambda: "is missing: its documents are kept" in watching.said)
    assert len(names()) == 2
    notes.mkdir()
    (notes / "new.md").write_text(BABBAGE)
    wait_until(lambda: names() == {"new.md"})


def test_only_changed_files_are_read_and_hidden_and_excluded_ones_are_not(notes: Path, watching: Watching) -> None:
    watching.start("--exclude", "*.log", ".")
    wait_until(lambda: len(names()) == 2)
    os.utime(notes / "ada.md")
    for name in (".hidden.md", "run.log", "shown.md"):
        (notes / name).write_text(BABBAGE)
    wait_until(lambda: names() == {"ada.md", "babbage.md", "shown.md"})
    wait_until(lambda: "2 documents: 1 added, 0 changed, 1 unchanged" in watching.said)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that the settings in the environment name."""
    with ModelServer(ready()) as running:
        values = {"name": "recorded", "base_url": running.url, "key_variable": "", "retries": "0"}
        for name, value in (values | {"output_tokens": "500"}).items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        yield running


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "letters", 2, 4)


def test_model_that_is_unavailable_for_a_while_does_not_end_it(
    watching: Watching, letters: Path, server: ModelServer
) -> None:
    server.misbehave(Status(401), times=None)
    process = watching.start("--spend-tokens", "10000000", "letters")
    wait_until(lambda: "trying again every" in watching.said or process.poll() is not None)
    assert process.poll() is None and names() == set()
    server.behave()
    (letters / "more.txt").write_text(story(9, 4))
    wait_until(lambda: names() == {"0.txt", "1.txt", "more.txt"})


def test_budget_that_is_used_up_ends_it_and_names_what_is_left(
    watching: Watching, letters: Path, server: ModelServer
) -> None:
    process = watching.start("--spend-tokens", "20000", "letters")
    wait_until(lambda: names() == {"0.txt", "1.txt"})
    (letters / "long.txt").write_text(story(9, 2000))
    assert process.wait(60) == 3
    assert "the budget is used up; changes in letters/long.txt are not completely indexed" in watching.said


def test_watch_needs_existing_folders(polyadic: Command, notes: Path) -> None:
    assert polyadic("index", "--watch", "nothing").code == 2
    assert polyadic("index", "--watch", "notes/ada.md").code == 2
    assert polyadic("index", "--watch", "--json", "notes").code == 2
