"""What is salvaged, what is retried and what is reported, whatever a model does about one chunk of three."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyadic.workspace import Workspace
from tests.cli.conftest import Command
from tests.degraded_models.cases import CASES, SENTENCES, Case
from tests.model_server import Asked, ModelServer, ready
from tests.support.with_a_model import TEXT, story

pytestmark = pytest.mark.slow

OTHERS = 8
"""Facts of the two chunks that nothing happens to."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        values = {"name": "recorded", "base_url": running.url, "key_variable": "", "retries": "1", "timeout": "2"}
        for name, value in values.items():
            monkeypatch.setenv(f"POLYADIC_MODEL__{name.upper()}", value)
        yield running


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in {"a": story(1, 4), "bad": TEXT, "c": story(2, 4)}.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def is_bad(asked: Asked) -> bool:
    return any(name in asked.text for name in ("Lovelace", "Analytical"))


def asked_about(server: ModelServer) -> int:
    return sum(map(is_bad, server.asked))


def report_of(polyadic: Command, *arguments: str) -> tuple[int, dict[str, Any]]:
    done = polyadic(*arguments, "--json")
    assert "Traceback" not in done.err + done.out
    return done.code, json.loads(done.out)


def assert_sound(folder: Path) -> None:
    with Workspace(folder) as kb:
        assert kb.store().problems() == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_one_bad_reply_affects_only_its_chunk(
    polyadic: Command, server: ModelServer, papers: Path, tmp_path: Path, case: Case
) -> None:
    workspace = tmp_path / "polyadic-workspace"
    server.misbehave(*case.kinds, times=case.times, when=is_bad)
    code, report = report_of(polyadic, "index", str(papers))
    assert (code, report["added"], report["stopped"]) == (3 if case.failed else 0, 3, "")
    assert asked_about(server) == case.asked and len(server.asked) == case.asked + 2
    assert report["evidence"] == OTHERS + case.evidence
    assert report["evidence"] - report["without_fact"] == OTHERS + case.facts
    assert {reason: report["problems"].get(reason) for reason in case.problems} == case.problems
    assert [(Path(failed["source"]).name, case.failed in failed["reason"]) for failed in report["failed"]] == (
        [("bad.txt", True)] if case.failed else []
    )
    assert_sound(workspace)
    assert sum(file.stat().st_size for file in workspace.rglob("*") if file.is_file()) < 3_000_000
    status = polyadic("status").out
    assert ("failed     1 chunk" in status and case.failed in status) if case.failed else "failed" not in status

    # Again while it misbehaves: what failed is asked for and nothing else, and people are told.
    server.chat.reset()
    again = polyadic("index", "--retry")
    assert again.code == (3 if case.failed else 0) and "Traceback" not in again.err
    assert len(server.asked) == asked_about(server) == (case.asked if case.failed else 0)
    if case.failed:
        (line,) = [line for line in again.err.splitlines() if "papers/bad.txt, characters" in line]
        assert case.failed in line and "1 part of a document could not be read" in again.err

    # And once it behaves.
    server.reset()
    code, report = report_of(polyadic, "index", "--retry")
    assert (code, report["failed"]) == (0, [])
    assert len(server.asked) == (1 if case.failed else 0)
    if case.failed:
        assert (report["resumed"], report["evidence"]) == (1, SENTENCES)
    server.reset()
    assert polyadic("index", str(papers)).code == 0 and not server.asked
    assert_sound(workspace)
