"""kill -9 at random moments of reading responses: nothing is paid for twice, and it ends as an undisturbed run."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.model_server.batches import answer_batch
from tests.support.batches import lines_of, put_lines
from tests.support.with_a_model import SMALL, export, story, workspace

pytestmark = pytest.mark.slow
KILLS = 12


def reading(folder: Path, server: ModelServer, answers: Path, output: Path) -> subprocess.Popen[bytes]:
    settings = {
        "POLYADIC_EMBEDDING__MODEL": "hashing",
        "POLYADIC_MODEL__NAME": "recorded",
        "POLYADIC_MODEL__BASE_URL": server.url,
    }
    settings |= {f"POLYADIC_CHUNKING__{name}": str(value) for name, value in SMALL.model_dump().items()}
    return subprocess.Popen(
        [sys.executable, "-m", "polyadic", "-w", str(folder), "batch", "read", str(answers), "-o", str(output)],
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_command_resumes_after_kill_at_any_moment(tmp_path: Path, server: ModelServer) -> None:
    letters = tmp_path / "letters"
    letters.mkdir()
    for part in range(150):
        (letters / f"{part:03}.txt").write_text(story(part, 16))
    (tmp_path / "one.txt").write_text("Ada Lovelace met Charles Babbage in London.")
    questions = put_lines(tmp_path / "questions.jsonl", ['{"question": "Whom did Ada Lovelace meet in London?"}'])
    with workspace(tmp_path / "waiting", server, chunking=SMALL) as kb:
        kb.index([tmp_path / "one.txt"])
        calls = kb.status().spent.calls
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters], questions, "none")
    answers = put_lines(tmp_path / "answers.jsonl", answer_batch(server, *written.files))

    def known(folder: Path, output: Path) -> tuple[int, str, list[str]]:
        with workspace(folder, server, chunking=SMALL) as kb:
            return kb.status().spent.calls, export(kb), lines_of([output])

    def copied(name: str) -> tuple[Path, Path]:
        folder = shutil.copytree(tmp_path / "waiting", tmp_path / name)
        return folder, tmp_path / f"{name}.jsonl"

    folder, output = copied("undisturbed")
    started = time.monotonic()
    assert reading(folder, server, answers, output).wait() == 0
    seconds, expected = time.monotonic() - started, known(folder, output)
    assert expected[0] == calls + written.requests and len(expected[2]) == 1
    drawn, killed = random.Random(4), 0
    for attempt in range(KILLS):
        folder, output = copied(f"killed{attempt}")
        run = reading(folder, server, answers, output)
        time.sleep(seconds * (attempt + drawn.random()) / KILLS)
        run.send_signal(signal.SIGKILL)
        killed += run.wait() == -signal.SIGKILL
        assert reading(folder, server, answers, output).wait() == 0
        assert known(folder, output) == expected
    assert killed >= KILLS // 2
