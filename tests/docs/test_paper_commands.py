"""Each command of docs/papers.md runs, on a few sentences, with a server in place of the language model."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.workspace import Workspace
from tests.cli.conftest import ADA, BABBAGE, Command, polyadic
from tests.docs.test_papers import COMMANDS
from tests.evaluation.question_generation.test_generator import examiner
from tests.evaluation.test_judge_verdicts import answer, judge
from tests.evaluation.tiny_dataset import QUESTIONS, undrawn, write_beir
from tests.model_server import ModelServer, entities_of_question, facts_by_sentence, hierarchy_replies, step_replies

__all__ = ["polyadic"]
pytestmark = pytest.mark.slow

ORDER = ("index", "hierarchy build", "")
"""Commands that come first, because others need what they make."""
NOT_RUN = ("polyadic serve", "python")
"""A server runs until it is stopped, and benchmarks rewrite pages of the documentation."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    ready = [facts_by_sentence(), entities_of_question(), *hierarchy_replies(), *step_replies()]
    responders = [examiner, *ready, answer, judge]
    with ModelServer(responders, models=("gpt-4o-mini", "gpt-4o")) as running:
        settings = {"NAME": "gpt-4o-mini", "BASE_URL": running.url, "KEY_VARIABLE": "", "RETRIES": "0"}
        for name, value in settings.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name}", value)
        monkeypatch.setenv("POLYADIC_HIERARCHY_BUILD__CLUSTER_MEMBERS", "6")
        yield running


def position(command: str) -> tuple[int, str]:
    return next(n for n, start in enumerate(ORDER) if command.startswith(f"polyadic {start}")), command


def arguments_of(command: str, number: int) -> list[str]:
    """The arguments, with a question or an identifier in the place of their placeholders, and a folder of their own."""
    arguments = [QUESTIONS[0]["text"] if part == "..." else part for part in shlex.split(command)[1:]]
    if arguments == ["show", "fact", "ID"]:
        with Workspace("polyadic-workspace") as kb:
            arguments[2] = kb.facts_of("Ada Lovelace")[0].id
    elif arguments[0] == "init":
        arguments.insert(1, f"init-{number}")
    elif arguments[:2] == ["eval", "art"]:
        arguments += ["--out", f"out-{number}"]
    return arguments


def test_every_command_runs(
    polyadic: Command, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, text in (("my-documents", ADA), ("more-documents", BABBAGE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "notes.md").write_text(text)
    write_beir(tmp_path / "art")
    (tmp_path / "questions.csv").write_text(f"question,expected\n{QUESTIONS[0]['text']},Charles Babbage\n")
    commands = sorted((command for command in COMMANDS if not command.startswith(NOT_RUN)), key=position)
    assert len(commands) > 40
    for number, command in enumerate(commands):
        outcome = polyadic(*arguments_of(command, number))
        assert outcome.code == 0, f"{command}: {outcome.err}"
        if command.startswith("polyadic eval art"):
            # The plots of one report are enough.
            undrawn(monkeypatch)
