"""polyadic eval make-questions, and polyadic eval by batch files, as a person runs them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.evaluation.question_generation.test_generator import DOCUMENTS, examiner
from tests.evaluation.test_judge_verdicts import answer, judge
from tests.evaluation.tiny_dataset import write_beir
from tests.model_server import ModelServer
from tests.model_server.batches import answer_batch
from tests.support.batches import put_lines

ASK = ("eval", "make-questions", "-w", "kb", "--out", "set", "--count", "12", "--hops", "1,2")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer([examiner, judge, answer], models=("writer",)) as running:
        values = {"name": "writer", "base_url": running.url, "key_variable": "", "retries": "0"}
        for name, value in values.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        monkeypatch.setenv("POLYADIC_EXTRACTION__EXTRACTOR", "sentences")
        monkeypatch.setenv("POLYADIC_ANSWER__FORMAT", "think")
        yield running


@pytest.fixture
def filled(polyadic: Command, server: ModelServer, tmp_path: Path) -> Path:
    for n, document in enumerate(DOCUMENTS):
        (tmp_path / f"{n}.txt").write_text(document.text)
    assert polyadic("-w", "kb", "index", *(f"{n}.txt" for n in range(len(DOCUMENTS)))).code == 0
    return tmp_path


@pytest.mark.slow
def test_generate_review_accept_and_evaluate(polyadic: Command, filled: Path) -> None:
    made = polyadic(*ASK)
    assert (made.code, made.err) == (0, "")
    assert "binary, 1 fact per question: 4 sampled" in made.out and "n-ary, 2 facts per question: 2 sampled" in made.out
    assert "to review in set/review.jsonl" in made.out
    nothing = polyadic("eval", "make-questions", "--accept", "set/review.jsonl")
    assert nothing.code == 1 and "no question in set/review.jsonl is accepted" in nothing.err

    review = filled / "set" / "review.jsonl"
    rows = [json.loads(line) for line in review.read_text().splitlines()]
    for row, decision in zip(rows, [False, None] + [True] * len(rows), strict=False):
        row["accept"] = decision
    put_lines(review, [json.dumps(row) for row in rows])
    accepted = polyadic("eval", "make-questions", "--accept", "set/review.jsonl")
    assert accepted.code == 3 and "not reviewed yet: 1" in accepted.err
    assert f"{len(rows) - 2} questions accepted, 1 rejected: written to set/questions.json" in accepted.out
    again = polyadic(*ASK)
    assert f"{len(rows)} of them kept from an earlier run" in again.out
    outcome = polyadic("eval", "set", "--methods", "chunks", "--answers", "none")
    assert outcome.code == 0 and f"set: {len(rows) - 2} questions" in outcome.out


def test_questions_are_generated_by_batch_files(polyadic: Command, server: ModelServer, filled: Path) -> None:
    written = polyadic(*ASK, "--batch-write", "ask.jsonl")
    assert (written.code, written.err) == (3, "") and "12 requests written to ask.jsonl" in written.out
    assert "--batch-read RESPONSES.jsonl" in written.out and server.asked == []
    assert polyadic(*ASK, "--batch-write", "ask.jsonl").code == 1, "it is there already"
    answers = answer_batch(server, filled / "ask.jsonl")
    put_lines(filled / "part.jsonl", [*answers[1:], "{"])
    over = polyadic(*ASK, "--batch-read", "part.jsonl", "--batch-write", "part.jsonl", "--overwrite")
    assert over.code == 1 and "part.jsonl is an input file and cannot be overwritten" in over.err
    part = polyadic(*ASK, "--batch-read", "part.jsonl")
    assert part.code == 3 and "response lines: 11 accepted, 1 unreadable" in part.out
    assert "part.jsonl, line 12: not valid JSON" in part.err
    assert "1 reply missing: run the same command with --batch-write FILE.jsonl" in part.out
    put_lines(filled / "all.jsonl", answers)
    whole = polyadic(*ASK, "--batch-read", "all.jsonl")
    assert whole.code == 0 and "to review in set/review.jsonl" in whole.out
    assert len(server.asked) == 12


@pytest.mark.slow
def test_evaluation_by_batch_files(polyadic: Command, server: ModelServer, tmp_path: Path) -> None:
    write_beir(tmp_path / "little")
    command = ("eval", "little", "--methods", "chunks,walk", "--measures", "f1,g-e,win-rate", "--out", "out")
    first = polyadic(*command, "--batch-write", "1.jsonl")
    assert (first.code, first.err) == (3, "") and "requests written to 1.jsonl" in first.out and not server.asked
    put_lines(tmp_path / "1-answers.jsonl", answer_batch(server, tmp_path / "1.jsonl"))
    second = polyadic(*command, "--batch-read", "1-answers.jsonl", "--batch-write", "2.jsonl", "--json")
    said = json.loads(second.out)
    assert (second.code, said["files"], said["read"]["refused"]) == (3, ["2.jsonl"], 0)
    assert said["missing"] == len((tmp_path / "2.jsonl").read_text().splitlines()) == 7 * 4 + 4
    assert not (tmp_path / "out" / "results.json").exists()
    put_lines(tmp_path / "2-answers.jsonl", answer_batch(server, tmp_path / "2.jsonl"))
    calls = len(server.asked)
    done = polyadic(*command, "--batch-read", "2-answers.jsonl")
    assert (done.code, done.err) == (0, "") and "g-e" in done.out and len(server.asked) == calls
    assert (tmp_path / "out" / "report.html").exists()
    direct = polyadic(*command)
    assert direct.code == 0 and len(server.asked) == calls, "all is known"


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["--hops", "many"], 2, "--hops must be comma-separated numbers, not many"),
        (["--hops", "9"], 1, "a question needs one to five facts"),
        (["--kind", "unary"], 2, "'unary' is not one of 'binary', 'n-ary'"),
        (["--batch-read", "nowhere.jsonl"], 1, "there is no file nowhere.jsonl"),
        (["--accept", "nowhere.jsonl"], 1, "there is no file nowhere.jsonl"),
        (["-w", "elsewhere"], 1, "there is no workspace in elsewhere yet"),
        (["-w", "elsewhere", "--batch-write", "ask.jsonl"], 1, "there is no workspace in elsewhere yet"),
    ],
)
def test_usage_errors_are_one_line(
    polyadic: Command, filled: Path, arguments: list[str], code: int, problem: str
) -> None:
    outcome = polyadic(*ASK, *arguments)
    assert (outcome.code, outcome.out) == (code, "") and problem in outcome.err
    assert outcome.err.count("\n") == 1 and not (filled / "elsewhere").exists()


def test_question_generation_needs_a_model(polyadic: Command, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYADIC_MODEL__NAME", "")
    for arguments in ((), ("--batch-write", "ask.jsonl")):
        outcome = polyadic(*ASK, *arguments)
        assert outcome.code == 1 and "this needs a language model, but none is configured" in outcome.err


def test_help_mentions_make_questions(polyadic: Command) -> None:
    assert "polyadic eval make-questions --help" in polyadic("eval", "--help").out
    shown = polyadic("eval", "make-questions", "--help")
    assert shown.code == 0 and shown.out.startswith("Usage: polyadic eval make-questions [OPTIONS]")
