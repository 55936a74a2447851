"""Runs the command in a folder of its own, without weights."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyadic.cli.main import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Command = Callable[..., Outcome]

ADA = """# Ada Lovelace

Ada Lovelace was born in London on 10 December 1815.
Ada Lovelace wrote the first published program in 1843 for the Analytical Engine of Charles Babbage.
"""
BABBAGE = """# Charles Babbage

Charles Babbage designed the Analytical Engine in London and met Ada Lovelace in 1833.
"""


@pytest.fixture
def polyadic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")
    monkeypatch.delenv("POLYADIC_WORKSPACE", raising=False)

    def command(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return command


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with two documents, below the current one."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ada.md").write_text(ADA)
    (folder / "babbage.md").write_text(BABBAGE)
    return folder


@pytest.fixture
def indexed(polyadic: Command, notes: Path) -> Path:
    assert polyadic("index", str(notes)).code == 0
    return notes
