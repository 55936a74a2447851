"""polyadic chat: on a terminal and from a pipe, with a model and without one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.terminal import on_terminal
from tests.model_server import ModelServer, Refusal, says
from tests.model_server.types import Asked

pytestmark = pytest.mark.slow

WRITTEN = "Ada Lovelace wrote the first published program in 1843 for the Analytical Engine of Charles Babbage."
QUESTION = "Who wrote the first published program?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, indexed: Path) -> Iterator[ModelServer]:
    with ModelServer([says("Ada Lovelace did, in 1843 [1].")]) as running:
        for name, value in {"name": "recorded", "base_url": running.url, "key_variable": "", "retries": "0"}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        yield running


def piped(folder: Path, lines: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, "-m", "polyadic", "chat", *arguments],
        input=lines.encode() if isinstance(lines, str) else lines,
        capture_output=True,
        cwd=folder,
        env={**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing"},
        check=False,
    )
    return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def test_each_piped_line_is_a_question(indexed: Path) -> None:
    ran = piped(indexed.parent, f"{QUESTION}\n\nHow long must bread rise?\n")
    assert (ran.returncode, ran.stderr) == (0, "")
    first, second = ran.stdout.strip().split("\n\n")
    assert first.startswith(f'> {QUESTION}\n"{WRITTEN}" [1]\n') and " [1] notes/ada.md, characters " in first
    assert second.startswith("> How long must bread rise?\n")


def test_commands_work_in_a_pipe(indexed: Path) -> None:
    lines = [QUESTION, "/sources", "/clear", "/sources", "/dance", "/help", "/quit", QUESTION]
    ran = piped(indexed.parent, "\n".join(lines))
    assert ran.returncode == 0
    assert f"[1] notes/ada.md, characters 69–169\n    {WRITTEN}\n" in ran.stdout
    assert "conversation cleared\nno question has been answered yet\n" in ran.stdout
    assert "Ctrl-D" in ran.stdout
    assert ran.stdout.count(f"> {QUESTION}") == 1
    assert ran.stderr == "unknown command /dance; /help lists the commands\n"


@pytest.mark.parametrize("word", ["exit", "Quit", "QUIT"])
def test_exit_and_quit_end_the_chat(indexed: Path, word: str) -> None:
    ran = piped(indexed.parent, f"{word}\n{QUESTION}\n")
    assert (ran.returncode, ran.stdout) == (0, "")


def test_path_is_a_question_not_a_command(indexed: Path) -> None:
    assert "> /etc/passwd" in piped(indexed.parent, "/etc/passwd\n").stdout


def test_invalid_bytes_do_not_end_the_chat(indexed: Path) -> None:
    ran = piped(indexed.parent, b"\xff\xfe Ada?\n" + QUESTION.encode())
    assert ran.returncode == 0 and WRITTEN in ran.stdout


def test_follow_up_question_includes_the_conversation(server: ModelServer, indexed: Path) -> None:
    conversations = []

    def respond(asked: Asked) -> str:
        if "Next question" not in asked.text:
            return "Ada Lovelace did, in 1843 [1]."
        conversations.append(asked.text)
        return "For which machine did Ada Lovelace write the first published program?"

    server.responders = [respond]
    ran = piped(indexed.parent, f"{QUESTION}\nFor which machine?\n/clear\nFor which machine?\n")
    assert ran.returncode == 0, ran.stderr
    assert len(conversations) == 1 and "Ada Lovelace did, in 1843" in conversations[0]
    assert "(understood as: For which machine did Ada Lovelace write" in ran.stdout


def test_a_question_that_fails_does_not_end_the_conversation(server: ModelServer, indexed: Path) -> None:
    server.misbehave(Refusal(), when=lambda asked: "bread" in asked.text)
    ran = piped(indexed.parent, f"How long must bread rise?\n{QUESTION}\n")
    assert ran.returncode == 3
    assert ran.stderr.startswith("polyadic: ") and ran.stderr.count("\n") == 1
    assert "Ada Lovelace did, in 1843 [1]." in ran.stdout
    server.misbehave(Refusal(), when=lambda asked: "bread" in asked.text)
    assert piped(indexed.parent, "How long must bread rise?\n").returncode == 1


def test_options_apply_to_every_question(indexed: Path) -> None:
    ran = piped(indexed.parent, f"{QUESTION}\n", "--from", "notes/babbage.md", "--method", "chunks")
    assert WRITTEN not in ran.stdout and "notes/ada.md" not in ran.stdout
    assert "--style needs a language model" in piped(indexed.parent, "", "--style", "rhymes").stderr


def test_missing_workspace_ends_the_chat(polyadic: Command, tmp_path: Path) -> None:
    ran = piped(tmp_path, "Who?\n")
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1 and "create it with polyadic index PATH" in ran.stderr


def test_terminal_chat_ends_with_ctrl_d(indexed: Path) -> None:
    script = [
        ("> ", f"{QUESTION}\n"),
        ("[1] notes/ada.md", ""),
        ("> ", "/sources\n"),
        (f"    {WRITTEN}", ""),
        # Before the prompt the terminal is in another mode, in which Ctrl-D would be lost.
        ("> ", "\x04"),
    ]
    code, shown = on_terminal(indexed.parent, ["chat"], script)
    assert code == 0
    assert "2 documents; answers are quotations, because no language model is used." in shown
    assert "Traceback" not in shown


def test_ctrl_c_at_the_prompt_says_how_to_exit(indexed: Path) -> None:
    # Ctrl-C is typed once the prompt reads: what is typed is shown by then.
    script = [("> ", "Who is th"), ("Who is th", "\x03"), ("(quit with /quit or Ctrl-D)", "/quit\n")]
    code, shown = on_terminal(indexed.parent, ["chat"], script)
    assert code == 0 and "Traceback" not in shown


def test_ctrl_c_stops_the_answer_but_not_the_chat(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([says("Ada Lovelace did, in 1843 [1]. " * 200)], tokens_per_second=20) as slow:
        for name, value in {"name": "recorded", "base_url": slow.url, "key_variable": "", "retries": "0"}.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        script = [("recorded answers", f"{QUESTION}\n"), ("Ada Lovelace did", "\x03"), ("(stopped)", "/quit\n")]
        code, shown = on_terminal(indexed.parent, ["chat"], script)
    assert code == 0 and "Traceback" not in shown
