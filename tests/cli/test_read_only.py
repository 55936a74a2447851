"""A workspace that cannot be written to is asked, searched and shown; what would change it says why it cannot."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.cli.conftest import Command
from tests.model_server import ModelServer, says

pytestmark = pytest.mark.slow

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
"""The rights of files do not hold for root, a file system that is mounted for reading does."""

Ran = subprocess.CompletedProcess[str]


def _private() -> list[str] | None:
    """What runs a command with mounts of its own; None where this machine does not allow it."""
    for options in (["-m"], ["-Urm"]):
        command = ["unshare", *options, "true"]
        if shutil.which("unshare") and subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return ["unshare", *options]
    return None


PRIVATE = _private()
can_mount = pytest.mark.skipif(PRIVATE is None, reason="mounts of its own are not allowed here")


@pytest.fixture
def reading(indexed: Path) -> Callable[..., Ran]:
    """Runs the command where the workspace is on a file system that is mounted for reading."""
    here = indexed.parent
    workspace = here / "polyadic-workspace"
    before = snapshot(workspace)

    def run(*arguments: str) -> Ran:
        assert PRIVATE is not None
        command = [*PRIVATE, "sh", "-c", MOUNTED, str(workspace), sys.executable, "-m", "polyadic", *arguments]
        environment = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing"}
        ran = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)
        assert snapshot(workspace) == before
        return ran

    return run


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@can_mount
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["query", "Who wrote the first published program?"], "Ada Lovelace wrote the first published program"),
        (["query", "Who wrote the first published program?", "--from", "notes/ada.md"], "[1] notes/ada.md"),
        (["status"], "documents  2 in 2 chunks"),
        (["show", "entity", "Charles Babbage"], "Charles Babbage designed the Analytical Engine"),
        (["search", "designed"], "1. Charles Babbage"),
        (["entities", "review"], ""),
        (["export", "--format", "jsonl"], '"text": '),
        (["estimate", "notes"], "2 unchanged"),
        (["copy", "polyadic-workspace", "copied"], "copied 2 documents"),
    ],
)
def test_read_only_workspace_can_be_queried(reading: Callable[..., Ran], arguments: list[str], said: str) -> None:
    ran = reading(*arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert said in ran.stdout


@can_mount
@pytest.mark.parametrize(
    "arguments",
    [
        ["index", "notes"],
        ["index", "--retry"],
        ["delete", "notes/ada.md"],
        ["entities", "merge", "Ada Lovelace", "London"],
        ["hierarchy", "build"],
        ["reembed", "--force"],
    ],
)
def test_writes_to_a_read_only_workspace_are_refused_in_one_line(
    reading: Callable[..., Ran], arguments: list[str]
) -> None:
    ran = reading(*arguments)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "polyadic-workspace is read-only: make it writable" in ran.stderr


@can_mount
def test_model_answers_although_the_ledger_cannot_be_written(
    reading: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer([says("Ada Lovelace did [1].")]) as server:
        for name, value in {"name": "recorded", "base_url": server.url, "key_variable": ""}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        ran = reading("query", "Who wrote the first published program?", "--trace")
    assert ran.returncode == 0 and "Ada Lovelace did [1]." in ran.stdout
    assert "enter in the ledger: could not be written: " in ran.stdout


@can_mount
def test_read_only_store_left_by_a_killed_writer_is_refused(polyadic: Command, indexed: Path) -> None:
    workspace = indexed.parent / "polyadic-workspace"
    killed = "import os; from polyadic.workspace import Workspace; from polyadic.model.types import Document\n"
    killed += "kb = Workspace(); kb.add([Document('memory:x', '', 'Ada Lovelace met Mary Somerville.')]); os._exit(9)"
    subprocess.run([sys.executable, "-c", killed], cwd=indexed.parent, check=False)
    (workspace / "store.sqlite-shm").unlink()
    assert PRIVATE is not None
    command = [*PRIVATE, "sh", "-c", MOUNTED, str(workspace), sys.executable, "-m", "polyadic", "search", "Somerville"]
    ran = subprocess.run(command, cwd=indexed.parent, capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "was not closed" in ran.stderr and ran.stderr.count("\n") == 1
    assert "Somerville" in polyadic("search", "Somerville").out


def test_read_only_workspace_sees_writes_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def add(number: int) -> None:
        with Workspace(tmp_path / "kb", HASHING) as kb:
            kb.add([Document(f"memory:{number}", "", f"Ada Lovelace met Person Number{number}.")])

    add(1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        reading = Workspace(tmp_path / "kb", HASHING)
        assert [len(reading.search("Ada")), len(reading.documents())] == [1, 1]
    add(2)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert [len(reading.search("Ada")), len(reading.documents())] == [2, 2]
    reading.close()
