"""polyadic init: settings, presets, prompts."""

import tomllib
from pathlib import Path

from polyadic.llm.prompts.library import NAMES
from tests.cli.conftest import Command


def test_preset_is_written_and_doctor_is_suggested(polyadic: Command, tmp_path: Path) -> None:
    outcome = polyadic("init", "kb", "--preset", "ollama")
    assert outcome.code == 0
    assert "next: polyadic -w kb doctor" in outcome.out
    written = tomllib.loads((tmp_path / "kb" / "polyadic.toml").read_text())
    assert written["model"]["base_url"] == "http://localhost:11434/v1"
    assert written["model"]["key_variable"] == ""


def test_preset_does_not_overwrite_settings(polyadic: Command, tmp_path: Path) -> None:
    polyadic("init", "kb")
    before = (tmp_path / "kb" / "polyadic.toml").read_text()
    outcome = polyadic("init", "kb", "--preset", "openai")
    assert (outcome.code, outcome.out) == (1, "")
    assert "already exists" in outcome.err
    assert "[model]" in outcome.err
    assert (tmp_path / "kb" / "polyadic.toml").read_text() == before


def test_init_copies_prompts_for_editing(polyadic: Command, tmp_path: Path) -> None:
    assert polyadic("init", "kb", "--prompts").code == 0
    mine = tmp_path / "kb" / "prompts" / "answer.txt"
    assert {file.stem for file in mine.parent.iterdir()} == set(NAMES)
    mine.write_text("mine-1\n=== user\n$knowledge $question")
    polyadic("init", "kb", "--prompts")
    assert mine.read_text().startswith("mine-1")
