"""polyadic batch, as a person runs it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.model_server import ModelServer, ready
from tests.model_server.batches import answer_batch, expired
from tests.resolution.test_adjudication import says_by_name
from tests.support.batches import put_lines
from tests.support.with_a_model import write_letters


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that the settings name; the key that they name is not set, and not needed."""
    with ModelServer(ready()) as running:
        values = {"name": "recorded", "base_url": running.url, "key_variable": "KEY_THAT_NOBODY_SET"}
        for name, value in values.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        yield running


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "letters", 3, 12)


def test_batch_from_documents_to_answers(polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path) -> None:
    done = polyadic("batch", "write", "ask.jsonl", "letters")
    assert (done.code, done.err) == (0, "") and server.asked == []
    assert "written to ask.jsonl" in done.out and "3 requests, " in done.out
    assert "pending: 3 replies, for 3 documents and 0 questions" in done.out
    assert "pending: 3 replies" in polyadic("batch", "status").out

    answers = answer_batch(server, tmp_path / "ask.jsonl")
    put_lines(tmp_path / "part.jsonl", [answers[2], expired(answers[0]), "{", '{"custom_id": "request-1"}'])
    part = polyadic("batch", "read", "part.jsonl")
    assert part.code == 3
    said = "1 accepted, 1 without a usable reply, 1 for unknown requests, 1 unreadable"
    assert f"response lines: {said}" in part.out and "1 document: 1 added" in part.out
    assert "letters/0.txt, characters 0–" in part.err and "batch_expired" in part.err
    assert "part.jsonl, line 3: not valid JSON" in part.err
    assert "pending: 2 replies" in part.out and "polyadic batch write FILE writes them again" in part.out

    assert polyadic("batch", "write", "ask.jsonl").code == 1
    assert "2 requests" in polyadic("batch", "write", "ask.jsonl", "--overwrite").out
    put_lines(tmp_path / "rest.jsonl", answer_batch(server, tmp_path / "ask.jsonl"))
    rest = polyadic("batch", "read", "rest.jsonl")
    assert (rest.code, rest.err) == (0, "")
    assert "2 documents: 2 added" in rest.out and "no pending requests" in rest.out

    put_lines(tmp_path / "q.jsonl", ['{"id": "first", "question": "Where did Mira Falk send letter 5 from?"}'])
    asked = polyadic("batch", "write", "q-ask.jsonl", "--questions", "q.jsonl", "--method", "walk")
    assert asked.code == 0 and "pending: 1 reply, for 0 documents and 1 question" in asked.out
    put_lines(tmp_path / "q-answers.jsonl", answer_batch(server, tmp_path / "q-ask.jsonl"))
    given = polyadic("batch", "read", "q-answers.jsonl")
    assert given.code == 0 and "first: Where did Mira Falk send letter 5 from?" in given.out
    assert "sent letter" in given.out and "[1] letters/0.txt, characters " in given.out
    assert "understood as" not in given.out


def test_answer_of_a_batch_says_how_a_misspelled_question_was_understood(
    polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path
) -> None:
    polyadic("batch", "write", "index.jsonl", "letters")
    put_lines(tmp_path / "indexed.jsonl", answer_batch(server, tmp_path / "index.jsonl"))
    polyadic("batch", "read", "indexed.jsonl")
    put_lines(tmp_path / "q.jsonl", ['{"question": "Where did Mira Falk send lettre 5 from?"}'])
    polyadic("batch", "write", "ask.jsonl", "--questions", "q.jsonl")
    put_lines(tmp_path / "answers.jsonl", answer_batch(server, tmp_path / "ask.jsonl"))
    given = polyadic("batch", "read", "answers.jsonl")
    assert "(understood as: Where did Mira Falk send letter 5 from?)" in given.out


def test_answers_are_written_to_a_file_and_reports_as_json(
    polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path
) -> None:
    polyadic("batch", "write", "index.jsonl", "letters")
    put_lines(tmp_path / "indexed.jsonl", answer_batch(server, tmp_path / "index.jsonl"))
    polyadic("batch", "read", "indexed.jsonl")
    put_lines(tmp_path / "q.jsonl", ['{"question": "Who wrote to Ilse Orth?"}'])
    written = json.loads(polyadic("batch", "write", "ask.jsonl", "--questions", "q.jsonl", "--json").out)
    assert (written["files"], written["requests"], written["missing"]["questions"]) == (["ask.jsonl"], 1, 1)
    put_lines(tmp_path / "answers.jsonl", answer_batch(server, tmp_path / "ask.jsonl"))
    done = polyadic("batch", "read", "answers.jsonl", "-o", "given.jsonl")
    assert done.code == 0 and "1 answer added to given.jsonl" in done.out
    (row,) = [json.loads(line) for line in (tmp_path / "given.jsonl").read_text().splitlines()]
    assert set(row) == {
        "key",
        "id",
        "question",
        "text",
        "answered",
        "citations",
        "method",
        "usage",
        "note",
        "understood_as",
        "unsupported",
    }
    again = json.loads(polyadic("batch", "read", "answers.jsonl", "--json").out)
    assert (again["duplicates"], again["accepted"], again["answers"]) == (1, 0, [])
    assert again["missing"] == {"requests": 0, "documents": 0, "questions": 0}


def test_forget_discards_pending_requests(polyadic: Command, server: ModelServer, letters: Path) -> None:
    polyadic("batch", "write", "ask.jsonl", "letters")
    assert polyadic("batch", "forget").out == "discarded: 3 replies, for 3 documents and 0 questions\n"
    assert polyadic("batch", "status").out == "no pending requests\n"
    assert polyadic("batch", "write", "none.jsonl").out == "no requests, so no file was written\n"


def test_unreadable_input_gives_exit_code_3(polyadic: Command, server: ModelServer, letters: Path) -> None:
    (letters / "bad.txt").write_bytes(b"\xff\xfe\xff")
    done = polyadic("batch", "write", "ask.jsonl", "letters")
    assert done.code == 3 and "bad.txt" in done.err and "3 requests" in done.out


def test_request_files_are_not_indexed(polyadic: Command, server: ModelServer, letters: Path) -> None:
    polyadic("batch", "write", "letters/ask.jsonl", "letters")
    done = polyadic("batch", "write", "letters/ask.jsonl", "letters", "--overwrite", "--json")
    assert json.loads(done.out)["missing"]["documents"] == 3


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["write"], 2, "missing argument"),
        (["write", "ask.jsonl", "--method", "walk"], 2, "--questions"),
        (["write", "ask.jsonl", "--questions", "none.jsonl"], 2, "none.jsonl"),
        (["write", "ask.jsonl"], 1, "there is no workspace"),
        (["write", "ask.jsonl", "nowhere"], 1, "nowhere"),
        (["write", "no-folder/ask.jsonl", "letters"], 1, "there is no folder no-folder"),
        (["read", "none.jsonl"], 2, "none.jsonl"),
        (["read"], 1, "there is no workspace"),
        (["status"], 1, "there is no workspace"),
        (["forget"], 1, "there is no workspace"),
    ],
)
def test_errors_are_one_line(
    polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    done = polyadic("batch", *arguments)
    assert done.code == code and done.err.count("\n") == 1 and said in done.err
    assert not (tmp_path / "polyadic-workspace").exists()


def test_question_file_is_not_overwritten(
    polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path
) -> None:
    question = put_lines(tmp_path / "batch-2.jsonl", ['{"question": "Who wrote to Ilse Orth?"}'])
    asked = question.read_text()
    assert polyadic("batch", "write", "batch.jsonl", "letters").code == 0
    for _ in range(2):
        again = polyadic("batch", "write", "batch.jsonl", "--questions", "batch-2.jsonl", "--overwrite")
        assert (again.code, again.err) == (0, "")
    refused = polyadic("batch", "write", "batch-2.jsonl", "--questions", "batch-2.jsonl", "--overwrite")
    assert refused.code == 1 and "is an input file" in refused.err and refused.err.count("\n") == 1
    assert question.read_text() == asked


def test_missing_answer_folder_is_refused(
    polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path
) -> None:
    polyadic("batch", "write", "ask.jsonl", "letters")
    put_lines(tmp_path / "answers.jsonl", answer_batch(server, tmp_path / "ask.jsonl"))
    refused = polyadic("batch", "read", "answers.jsonl", "-o", "nowhere/given.jsonl")
    assert refused.code == 1 and "there is no folder nowhere" in refused.err
    assert "pending: 3 replies" in polyadic("batch", "status").out


def test_status_names_missing_shards(polyadic: Command, server: ModelServer, letters: Path, tmp_path: Path) -> None:
    def answered(name: str) -> str:
        return put_lines(tmp_path / f"answers-{name}", answer_batch(server, tmp_path / name)).name

    names = ("ask.jsonl", "ask-2.jsonl", "ask-3.jsonl")
    done = polyadic("batch", "write", "ask.jsonl", "letters", "--shard-requests", "1")
    assert done.code == 0 and "written to ask-3.jsonl" in done.out
    assert polyadic("batch", "read", answered("ask-2.jsonl")).code == 3
    status = polyadic("batch", "status", *names)
    assert status.code == 3 and "ask-2.jsonl: 1 request, none pending" in status.out
    assert "ask.jsonl: 1 request, 1 pending" in status.out and "ask-3.jsonl: 1 request, 1 pending" in status.out
    assert json.loads(polyadic("batch", "status", "--json", *names).out)["files"][1]["pending"] == 0
    assert polyadic("batch", "read", answered("ask-3.jsonl"), answered("ask.jsonl")).code == 0
    assert polyadic("batch", "status", *names).code == 0


def test_candidate_pairs_are_judged_by_batch_files(polyadic: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("General Nikolai Kamanin met Ilse Orth. Nikolai Kamanin praised Ilse Orth.")
    assert polyadic("index", "a.txt").code == 0
    with says_by_name("Nikolai Kamanin") as judge, pytest.MonkeyPatch.context() as environment:
        for name, value in {"name": "recorded", "base_url": judge.url, "key_variable": ""}.items():
            environment.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        written = polyadic("batch", "write", "ask.jsonl", "--entities")
        assert (written.code, written.err) == (0, "") and "1 request, " in written.out
        put_lines(tmp_path / "answers.jsonl", answer_batch(judge, tmp_path / "ask.jsonl"))
        read = polyadic("batch", "read", "answers.jsonl")
        assert read.code == 0 and "1 pair judged: polyadic entities review --by-model" in read.out
        judge.reset()
        assert "the model says: same (told so)" in polyadic("entities", "review", "--by-model").out
        assert judge.calls == []
        assert "--pairs needs --entities" in polyadic("batch", "write", "more.jsonl", "--pairs", "5").err
