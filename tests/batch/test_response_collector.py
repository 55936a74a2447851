"""What a response does to the store: it is entered once for good, and none stops those after it."""

import json
from pathlib import Path
from typing import Any

import pytest

from polyadic.model.types import Usage
from tests.model_server import ModelServer, Replaced
from tests.model_server.batches import answer_batch
from tests.support.batches import put_lines, round_trip, until_done
from tests.support.with_a_model import story, workspace


def test_response_is_recorded_once_despite_interruptions(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    document = letters / "0.txt"
    server.misbehave(Replaced("I would rather not."), on=[1])
    with workspace(tmp_path / "kb", server) as kb:
        (bad,) = answer_batch(server, *kb.batch.write(tmp_path / "1.jsonl", [document]).files)
        (good,) = answer_batch(server, tmp_path / "1.jsonl")
        answers = put_lines(tmp_path / "bad.jsonl", [bad])
        assert kb.batch.read([answers]).usage == kb.status().spent
        put_lines(answers, [json.dumps(json.loads(bad), separators=(",", ":"))])
        assert kb.batch.read([answers]).usage == Usage()
        kb.batch.forget()
        kb.batch.write(tmp_path / "2.jsonl", [document])
        assert kb.batch.read([answers]).usage == Usage()
        document.write_text(story(7, 8))
        kb.batch.write(tmp_path / "3.jsonl", [document])
        document.write_text(story(0, 16))
        assert kb.batch.write(tmp_path / "4.jsonl", [document]).requests == 1
        assert kb.batch.read([answers]).usage == Usage() and kb.status().spent.calls == 1
        put_lines(answers, [good])
        assert kb.batch.read([answers]).usage.calls == 1
        kb.delete(str(document), forget_replies=True)
        assert kb.batch.write(tmp_path / "5.jsonl", [document]).requests == 1
        last = kb.batch.read([answers])
        assert (last.accepted, last.usage, kb.status().spent.calls) == (1, Usage(), 2) and len(kb.documents()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"_fields_set": 1},
        {"choices": [{"message": {"content": "x", "_fields_set": 1}}]},
        {"choices": [{"index": 10**400, "message": {"content": "x"}}]},
        {"choices": [{"message": {"content": "\ud800"}}]},
        {"usage": {"prompt_tokens": 10**30, "completion_tokens": 2**63 - 1}},
        {"usage": {"_fields_set": 1}},
        {"error": {"message": "\ud800"}, "choices": []},
    ],
)
def test_invalid_line_does_not_stop_the_others(
    tmp_path: Path, server: ModelServer, letters: Path, change: dict[str, Any]
) -> None:
    def hostile(lines: list[str]) -> list[str]:
        said = json.loads(lines[0])
        said["response"]["body"] |= change
        return [json.dumps(said), *lines[1:]]

    with workspace(tmp_path / "kb", server) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl", hostile)
        assert report.accepted + report.refused + len(report.unreadable) == 3 and report.index.added >= 2
        assert {line.number for line in report.unreadable} <= {1}
        assert kb.status().spent == report.usage and kb.store().problems() == []
        until_done(kb, server, tmp_path)
        assert len(kb.documents()) == 3
