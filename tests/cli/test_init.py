"""polyadic init: settings, presets, prompts."""

import tomllib
from pathlib import Path

from polyadic.evaluation.measures.judge import DIMENSIONS
from polyadic.llm.prompts.library import NAMES, PAPER, PromptLibrary
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
    written = {file.relative_to(mine.parent).with_suffix("") for file in mine.parent.rglob("*.txt")}
    assert {name.as_posix() for name in written} == set(NAMES)
    assert {f"judge/{name}" for name in ("generation", "comparison", *DIMENSIONS)} <= set(NAMES)
    mine.write_text("mine-1\n=== user\n$knowledge $question")
    polyadic("init", "kb", "--prompts")
    assert mine.read_text().startswith("mine-1")


def test_prompts_in_the_structure_of_the_papers_replace_their_counterparts(polyadic: Command, tmp_path: Path) -> None:
    assert polyadic("init", "kb", "--preset", "paper", "--prompts", "paper").code == 0
    prompts, built_in = PromptLibrary(tmp_path / "kb"), PromptLibrary()
    for name in NAMES:
        is_same = prompts.get(name).fingerprint == built_in.get(name).fingerprint
        assert is_same == (name not in PAPER)
    assert all(prompts.get(name).version.startswith("paper-") for name in PAPER)
    refused = polyadic("init", "other", "--prompts", "mine")
    assert refused.code == 2 and refused.err.count("\n") == 1
