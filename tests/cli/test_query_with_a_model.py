"""What polyadic query prints with a language model, and how it ends when something is wrong with that."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ADA, Command
from tests.model_server import (
    CutStream,
    EmptyText,
    ModelServer,
    Refusal,
    Status,
    checks_claims,
    says,
    step_replies,
    supported_by_sentences,
)

QUESTION = "Who wrote the first published program?"
WRITTEN = "Ada Lovelace wrote the first published program in 1843 for the Analytical Engine of Charles Babbage."
SAID = "Ada Lovelace wrote the first published program, in 1843 [1][2]."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, indexed: Path) -> Iterator[ModelServer]:
    """A server that the settings name once everything is indexed without a model."""
    with ModelServer([says(SAID)], key="sk-test") as running:
        monkeypatch.setenv("POLYADIC_MODEL__NAME", "recorded")
        monkeypatch.setenv("POLYADIC_MODEL__BASE_URL", running.url)
        monkeypatch.setenv("POLYADIC_MODEL__RETRIES", "0")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield running


def test_answer_quotes_its_evidence(polyadic: Command, server: ModelServer) -> None:
    outcome = polyadic("query", QUESTION)
    assert (outcome.code, outcome.err) == (0, "")
    start = ADA.index(WRITTEN)
    lines = outcome.out.splitlines()
    assert lines[0] == SAID
    assert re.fullmatch(r"\(answered by recorded; facts read by sentences-\d+\)", lines[1])
    assert lines[2:4] == ["", f" [1] notes/ada.md, characters {start}–{start + len(WRITTEN)}"]
    assert lines[4] == f'     "{WRITTEN}"'
    assert lines[5].startswith(" [2] notes/babbage.md, characters ")
    tokens = f"{server.prompt_tokens + server.completion_tokens:,} model tokens"
    assert tokens in lines[-1] and lines[-1].startswith(" looked at ") and "(method auto) · " in lines[-1]


def test_unsupported_claims_are_listed(polyadic: Command, server: ModelServer) -> None:
    server.responders = [says("Ada Lovelace wrote the first published program in 1852 [1].")]
    lines = polyadic("query", QUESTION).out.splitlines()
    at = lines.index("These claims are not supported by the cited sentences; check them before relying on them:")
    assert lines[at + 1] == '  "Ada Lovelace wrote the first published program in 1852"'
    answer = json.loads(polyadic("query", QUESTION, "--json").out)
    (claim,) = answer["claims"]
    assert (claim["supported"], claim["citations"]) == (False, [0])
    span = claim["span"]
    assert answer["text"][span["start"] : span["end"]] == "Ada Lovelace wrote the first published program in 1852"


def test_an_item_that_no_sentence_of_is_near_the_claim_is_not_quoted(polyadic: Command, server: ModelServer) -> None:
    server.responders = [says("Nuns of a monastery in Passau grew tulips [1].")]
    lines = polyadic("query", QUESTION).out.splitlines()
    assert any(line.startswith(" [1] notes/ada.md, characters ") for line in lines)
    assert not any(line.startswith('     "') for line in lines)
    (citation,) = json.loads(polyadic("query", QUESTION, "--json").out)["citations"]
    assert citation["whole_item"] and WRITTEN in citation["place"]["quote"]


def test_json_is_one_document(polyadic: Command, server: ModelServer) -> None:
    outcome = polyadic("query", QUESTION, "--json")
    answer = json.loads(outcome.out)
    assert (outcome.code, answer["text"], answer["answered"], answer["removed"]) == (0, SAID, True, 0)
    assert answer["citations"][0]["place"]["quote"] == WRITTEN
    assert answer["usage"]["calls"] == 1


def test_history_file_continues_a_conversation(polyadic: Command, server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text('{"question": "Who was Ada Lovelace?", "answer": "A mathematician."}\n')
    server.responders = [
        lambda asked: "What did Ada Lovelace write?" if "Next question" in asked.text else SAID,
    ]
    outcome = polyadic("query", "What did she write?", "--history", "talk.jsonl", "--trace")
    assert outcome.out.splitlines()[1] == "(understood as: What did Ada Lovelace write?)"
    assert "ms  make the question self-contained: What did Ada Lovelace write?" in outcome.out
    assert "ms  check the citations: 1 of 1 cited claims supported" in outcome.out


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("no conversation", "talk.jsonl is not a conversation"),
        ('{"question": null, "answer": "A mathematician."}', '("question" is null, not a string): write a line'),
        ('{"question": "Who?", "answer": ["Ada"]}', '("answer" is ["Ada"], not a string): write a line'),
        ('{"question": "Who?"}', "talk.jsonl is not a conversation ('answer'): write a line"),
        ("null", "talk.jsonl is not a conversation"),
    ],
)
def test_invalid_history_file_is_refused(
    polyadic: Command, server: ModelServer, tmp_path: Path, written: str, problem: str
) -> None:
    (tmp_path / "talk.jsonl").write_text(written)
    wrong = polyadic("query", "What did she write?", "--history", "talk.jsonl")
    assert (wrong.code, wrong.out, wrong.err.count("\n")) == (1, "", 1)
    assert problem in wrong.err
    assert not server.asked


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--context-only", "--by", "model"), "--by cannot be combined with --context-only, which prints no answer"),
        (
            ("--context-only", "--style", "short", "--think"),
            "--style and --think cannot be combined with --context-only",
        ),
        (("--context-only", "--history", "talk.jsonl"), "--history cannot be combined with --context-only"),
        (
            ("--by", "quotes", "--style", "short"),
            "--style cannot be combined with --by quotes, which uses no language model",
        ),
        (("--by", "quotes", "--think"), "--think cannot be combined with --by quotes"),
        (("--by", "quotes", "--effort", "high"), "--effort cannot be combined with --by quotes"),
        (("--context-only", "--effort", "high"), "--effort cannot be combined with --context-only"),
        (("--by", "quotes", "--check-claims"), "--check-claims cannot be combined with --by quotes"),
    ],
)
def test_incompatible_options_are_refused(
    polyadic: Command, server: ModelServer, tmp_path: Path, options: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "talk.jsonl").write_text('{"question": "Who?", "answer": "Ada."}\n')
    outcome = polyadic("query", QUESTION, *options)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert problem in outcome.err and not server.asked
    assert polyadic("query", QUESTION, "--by", "quotes", "--history", "talk.jsonl").code == 0


def test_effort_searches_before_it_answers(polyadic: Command, server: ModelServer) -> None:
    server.responders = [*step_replies(), says(SAID)]
    assert polyadic("query", QUESTION, "--effort", "low").code == 0
    assert len(server.asked) == 1
    outcome = polyadic("query", QUESTION, "--effort", "medium", "--trace")
    assert (outcome.code, outcome.err, len(server.asked)) == (0, "", 3)
    assert outcome.out.startswith(f"{SAID}\n") and "; 1 search" in outcome.out
    assert re.search(r"ms  look for gaps 1: noted: .+; missing: nothing", outcome.out)


def test_claims_are_checked_on_request(polyadic: Command, server: ModelServer) -> None:
    # That she wrote it stands in the cited sentence, that it was the first one in Europe does not.
    said = f"{WRITTEN[:-1]} [1]. It was the first one in Europe [1]."
    server.responders = [checks_claims(supported_by_sentences([1], [])), says(said)]
    outcome = polyadic("query", QUESTION, "--check-claims", "--trace")
    assert (outcome.code, outcome.err, len(server.asked)) == (0, "", 2)
    assert "claims checked by recorded)" in outcome.out
    assert '  "It was the first one in Europe"' in outcome.out.splitlines()
    assert "check the claims with recorded: 1 of 2 cited claims supported" in outcome.out
    assert polyadic("query", QUESTION, "--no-check-claims").code == 0
    assert len(server.asked) == 3


def test_claims_are_checked_by_the_model_of_the_answers_if_none_is_to_judge(
    polyadic: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYADIC_MODEL__JUDGING__NAME", "")
    server.responders = [checks_claims(supported_by_sentences([1])), says(SAID)]
    assert "claims checked by recorded" in polyadic("query", QUESTION, "--check-claims").out


def test_invalid_prompt_for_checks_is_reported_before_the_answer(polyadic: Command, server: ModelServer) -> None:
    folder = Path("polyadic-workspace/prompts")
    folder.mkdir()
    (folder / "check_claims.txt").write_text("mine-1\n=== user\nIs it true?\n")
    outcome = polyadic("query", QUESTION, "--check-claims")
    assert (outcome.code, outcome.out, server.asked) == (1, "", [])
    assert "check_claims.txt lacks $" in outcome.err


def test_style_and_think_options_reach_the_model(polyadic: Command, server: ModelServer) -> None:
    server.responders = [says("<think>It was Ada.</think><answer>Ada [1].</answer>")]
    outcome = polyadic("query", QUESTION, "--think", "--style", "one word", "--trace")
    assert outcome.out.startswith("Ada [1].\n(answered by recorded")
    assert "\nreasoning\nIt was Ada.\n\nsteps\n" in outcome.out
    assert "What is wanted: one word." in server.asked[0].text
    assert "It was Ada." not in polyadic("query", QUESTION, "--think").out


def test_truncated_uncited_and_invented_citations_are_reported(polyadic: Command, server: ModelServer) -> None:
    server.responders = [says("Ada [44].")]
    out = polyadic("query", QUESTION).out
    assert out.startswith("Ada.\n")
    assert "it cites nothing: check it before you rely on it; 1 invalid citation was removed)" in out
    assert "from what the model knows, not from the documents" in polyadic("query", QUESTION, "--method", "none").out


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (Status(401), "refuses the key in OPENAI_API_KEY (401)"),
        (Status(404, "model_not_found"), "has no model recorded"),
        (Status(429), "too many calls"),
        (Refusal(), "recorded refuses"),
        (EmptyText(), "recorded sent an empty reply"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_errors_are_one_line(
    polyadic: Command, server: ModelServer, kind: Status, problem: str, form: tuple[str, ...]
) -> None:
    server.misbehave(kind, times=None)
    outcome = polyadic("query", QUESTION, *form)
    assert (outcome.code, outcome.out) == (1, "")
    assert problem in outcome.err and outcome.err.count("\n") == 1
    assert outcome.err.startswith("polyadic: ")


def test_unreachable_endpoint_is_reported(polyadic: Command, server: ModelServer) -> None:
    server.stop()
    outcome = polyadic("query", QUESTION)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
    assert "cannot be reached" in outcome.err


def test_text_streamed_before_a_disconnect_is_kept(polyadic: Command, server: ModelServer) -> None:
    server.misbehave(CutStream(), times=None)
    outcome = polyadic("query", QUESTION)
    assert outcome.code == 1
    assert outcome.out == "" or (SAID.startswith(outcome.out.strip()) and outcome.out.endswith("\n"))
    assert outcome.err.count("\n") == 1 and "cut the connection" in outcome.err


def test_quotes_need_no_model(polyadic: Command, server: ModelServer) -> None:
    server.misbehave(Status(500), times=None)
    outcome = polyadic("query", QUESTION, "--by", "quotes")
    assert outcome.code == 0
    assert f'"{WRITTEN}" [1]' in outcome.out
    assert outcome.out.count(WRITTEN) == 1
    assert not server.asked


def test_missing_model_is_reported(polyadic: Command, indexed: Path) -> None:
    outcome = polyadic("query", QUESTION, "--by", "model")
    assert (outcome.code, outcome.out) == (1, "")
    assert "none is configured: run polyadic init --preset openai" in outcome.err


@pytest.mark.slow
def test_answer_is_streamed_to_the_terminal(server: ModelServer) -> None:
    server.responders = [says("Ada wrote it [1]. " + "It was in 1843 [1]. " * 15)]
    server.tokens_per_second = 100
    command = [sys.executable, "-m", "polyadic", "query", QUESTION]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": ""}) as process:
        assert process.stdout is not None
        first = os.read(process.stdout.fileno(), 1000)
        begun = time.monotonic()
        rest = process.stdout.read()
        waited = time.monotonic() - begun
    assert first.startswith(b"Ada") and b"answered by" not in first and b"answered by" in rest
    assert waited > 0.5
    assert process.returncode == 0


@pytest.mark.parametrize("option", ["--by=quotes", "--context-only"])
def test_commands_without_model_calls_need_no_key(
    polyadic: Command, server: ModelServer, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert polyadic("query", QUESTION, option).code == 0
    refused = polyadic("query", QUESTION)
    assert (refused.code, refused.out) == (1, "")
    assert "OPENAI_API_KEY is not set" in refused.err
