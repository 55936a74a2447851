"""kill -9 wherever reading responses is stored: nothing is paid for twice, and it ends as an undisturbed run."""

import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyadic.indexing.document_batches import BATCH_DOCUMENTS
from tests.crashes.commands import COMMAND, Run, done, ended, started
from tests.crashes.killed_at import MOMENTS, POINTS_OF_BATCHES
from tests.model_server import ModelServer, ready
from tests.model_server.batches import answer_batch
from tests.support.batches import lines_of, put_lines
from tests.support.with_a_model import SMALL, export, workspace, write_letters

pytestmark = pytest.mark.slow
DOCUMENTS = BATCH_DOCUMENTS + 6  # published in two steps
AGAIN = ("publishing",)


@dataclass(frozen=True)
class Waiting:
    """A workspace that waits for the responses to a batch, these, and what it knows once they were read."""

    folder: Path
    server: ModelServer
    answers: Path

    def copied(self, place: Path) -> Path:
        return Path(shutil.copytree(self.folder, place / "kb"))

    def reading(self, folder: Path, command: tuple[str, ...] = COMMAND) -> Run:
        read = ("batch", "read", str(self.answers), "-o", str(folder.with_name("answers.jsonl")))
        return started(command, "-w", str(folder), *read, server=self.server)

    def known(self, folder: Path) -> tuple[int, str, list[str]]:
        with workspace(folder, self.server, chunking=SMALL) as kb:
            return kb.status().spent.calls, export(kb), lines_of([folder.with_name("answers.jsonl")])


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    place = tmp_path_factory.mktemp("waiting")
    (place / "one.txt").write_text("Ada Lovelace met Charles Babbage in London.")
    letters = write_letters(place / "letters", DOCUMENTS, 4)
    questions = put_lines(place / "questions.jsonl", ['{"question": "Whom did Ada Lovelace meet in London?"}'])
    with ModelServer(ready()) as server:
        with workspace(place / "kb", server, chunking=SMALL) as kb:
            kb.index([place / "one.txt"])
            written = kb.batch.write(place / "ask.jsonl", [letters], questions, "none")
        answers = put_lines(place / "answers.jsonl", answer_batch(server, *written.files))
        yield Waiting(place / "kb", server, answers)


@pytest.fixture(scope="module")
def expected(waiting: Waiting, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, list[str]]:
    """Return the result of a run that is not killed: a call for the first document, and one for each line."""
    folder = waiting.copied(tmp_path_factory.mktemp("undisturbed"))
    done(waiting.reading(folder))
    known = waiting.known(folder)
    assert known[0] == 1 + len(lines_of([waiting.answers])) and len(known[2]) == 1
    return known


def cases() -> Iterator[tuple[str, str, int]]:
    for point in POINTS_OF_BATCHES:
        for moment in MOMENTS:
            for which in (1, 2) if point in AGAIN else (1,):
                yield point, moment, which


@pytest.mark.parametrize(("point", "moment", "which"), list(cases()))
def test_command_resumes_after_kill_at_any_write_point(
    waiting: Waiting, expected: tuple[int, str, list[str]], tmp_path: Path, point: str, moment: str, which: int
) -> None:
    folder = waiting.copied(tmp_path)
    killer = (COMMAND[0], "-m", "tests.crashes.killed_at", point, moment, str(which))
    assert ended(waiting.reading(folder, killer)) == (-signal.SIGKILL, "")
    done(waiting.reading(folder))
    assert waiting.known(folder) == expected
