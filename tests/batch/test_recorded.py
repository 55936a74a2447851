"""A data set with recorded facts, by batch files: the same export as by calls, and the same answers."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.interchange.export import exported
from polyadic.storage.pending_requests import PendingCounts
from polyadic.workspace import Workspace
from tests.model_server import ModelServer
from tests.model_server.batches import answer_batch, expired, failed
from tests.model_server.fixtures import recorded_server
from tests.support.batches import lines_of, put_lines
from tests.support.with_a_model import workspace

__all__ = ["recorded_server"]
pytestmark = pytest.mark.data
PASSAGES, QUESTIONS = 60, 12


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """The first passages and questions of the data set, in a folder each."""
    data = Path(os.environ["POLYADIC_DATA"]) / "2wiki-101"
    (tmp_path / "docs").mkdir()
    put_lines(tmp_path / "docs" / "corpus.jsonl", lines_of([data / "corpus.jsonl"])[:PASSAGES])
    put_lines(tmp_path / "queries.jsonl", lines_of([data / "queries.jsonl"])[:QUESTIONS])
    return tmp_path


@pytest.fixture
def direct(part: Path, recorded_server: ModelServer) -> Iterator[Workspace]:
    with workspace(part / "direct", recorded_server) as kb:
        kb.index([part / "docs"])
        recorded_server.reset()
        yield kb


def ids(lines: list[str]) -> set[str]:
    return {json.loads(line)["custom_id"] for line in lines}


@pytest.mark.slow
def test_batch_run_equals_online_run(part: Path, recorded_server: ModelServer, direct: Workspace) -> None:
    with workspace(part / "kb", recorded_server) as kb:
        written = kb.batch.write(part / "ask.jsonl", [part / "docs"])
        assert written.requests == PASSAGES and recorded_server.asked == []
        answers = answer_batch(recorded_server, *written.files)
        random.Random(3).shuffle(answers)
        first, second = answers[: PASSAGES // 2], answers[PASSAGES // 2 :]
        lost = [*map(expired, first[:4]), *map(failed, first[4:6])]
        report = kb.batch.read([put_lines(part / "1.jsonl", [*first[6:], *lost])])
        assert (report.accepted, len(report.failed)) == (len(first) - 6, 6)
        again = kb.batch.write(part / "again.jsonl")
        assert ids(lines_of(again.files)) == ids(first[:6] + second)
        assert kb.batch.read([put_lines(part / "2.jsonl", second)]).missing == PendingCounts(6, 6, 0)
        last = kb.batch.write(part / "last.jsonl")
        kb.batch.read([put_lines(part / "3.jsonl", answer_batch(recorded_server, *last.files))])
        for name in ("jsonl", "hif"):
            assert b"".join(exported(kb, name)) == b"".join(exported(direct, name))
        assert kb.status().spent == direct.status().spent

        asked = kb.batch.write(part / "questions.jsonl", questions=part / "queries.jsonl", method="walk")
        back = answer_batch(recorded_server, *asked.files)[::-1]
        given = kb.batch.read([put_lines(part / "answers.jsonl", back)]).answers
        assert len(given) == QUESTIONS and any(answer.citations for answer in given)
        for answer in given:
            expected = direct.query(answer.question, "walk")
            assert (answer.text, answer.usage) == (expected.text, expected.usage)
            places = [citation.place for citation in expected.citations]
            assert [(c.source, c.start, c.quote) for c in answer.citations] == [
                (place.source, place.span.start, place.quote) for place in places
            ]
