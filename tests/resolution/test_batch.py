"""Candidate pairs judged by batch files, with the verdicts that calls would give."""

import json
from pathlib import Path

from polyadic.batch.report import EntityVerdicts
from polyadic.storage.pending_requests import PendingCounts
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Replaced
from tests.model_server.batches import answer_batch
from tests.resolution.test_adjudication import pairs_in, says_by_name, verdicts
from tests.resolution.test_api import fill
from tests.support.batches import bodies_of, put_lines, round_trip
from tests.support.store_driver import publish_all
from tests.support.with_a_model import workspace

SAME = "The Lady of the Acids"
NOTHING = PendingCounts(0, 0, 0)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def unsure(asked: Asked) -> str:
    return verdicts(*(("unsure", "") for _ in pairs_in(asked)))


def said_by(kb: Workspace) -> dict[str, bool | None]:
    return {one.id: one.same for one in kb.entities.review(by_model=True).candidates}


def fill_with_pairs(kb: Workspace, number: int) -> None:
    """So many pairs of names that differ in one letter."""
    names = [LETTERS[n // 26] * 4 + LETTERS[n % 26] * 5 for n in range(number)]
    publish_all(kb.store(make=True), [(n, [(f"{n} and {n}s.", [f"{n}x", f"{n}y"])], "") for n in names])


def test_batch_verdicts_equal_those_of_calls(tmp_path: Path) -> None:
    with says_by_name(SAME) as server, workspace(tmp_path / "direct", server) as kb:
        fill(kb)
        expected = said_by(kb)
        sent = sorted(json.dumps(one.body, sort_keys=True) for one in server.asked)
    with says_by_name(SAME) as server, workspace(tmp_path / "kb", server) as kb:
        fill(kb)
        written = kb.batch.write(tmp_path / "ask.jsonl", pairs=20)
        assert (written.entities, written.missing) == (EntityVerdicts(0, 0, 1), PendingCounts(1, 0, 0))
        assert bodies_of(written.files) == sent
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        assert (report.entities, report.missing) == (EntityVerdicts(2, 0, 0), NOTHING)
        server.reset()
        assert said_by(kb) == expected and True in expected.values()
        assert server.calls == []
        with kb.store().read() as reader:
            ((purpose, _),) = reader.records.spent()
        assert purpose == "same-entity"
        assert kb.batch.write(tmp_path / "none.jsonl", pairs=20).files == []


def test_unusable_replies_are_requested_again(tmp_path: Path) -> None:
    with says_by_name(SAME) as server, workspace(tmp_path / "kb", server) as kb:
        fill(kb)
        written = kb.batch.write(tmp_path / "ask.jsonl", pairs=20)
        server.misbehave(Replaced("I cannot say."))
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        assert (report.refused, report.entities) == (1, EntityVerdicts(0, 0, 1))
        assert list(report.failed_entities) == ["recorded returned nothing usable"]
        again = kb.batch.write(tmp_path / "more.jsonl")
        assert bodies_of(again.files) == bodies_of(written.files)
        assert round_trip(kb, server, again, tmp_path / "more-answers.jsonl").entities == EntityVerdicts(2, 0, 0)


def test_requests_do_not_depend_on_the_number_of_pairs(tmp_path: Path) -> None:
    with ModelServer([unsure]) as server, workspace(tmp_path / "kb", server) as kb:
        fill_with_pairs(kb, 25)
        few = kb.batch.write(tmp_path / "few.jsonl", pairs=1)
        round_trip(kb, server, few, tmp_path / "few-answers.jsonl")
        assert kb.entities.review(limit=20, by_model=True).usage.calls == 0
        more = kb.batch.write(tmp_path / "more.jsonl", pairs=21)
        assert (few.requests, more.requests) == (1, 1)
        assert bodies_of(few.files) != bodies_of(more.files)
        assert more.entities == EntityVerdicts(20, 0, 1)


def test_parts_of_a_batch_are_read_one_after_the_other(tmp_path: Path) -> None:
    with ModelServer([unsure]) as server, workspace(tmp_path / "kb", server) as kb:
        fill_with_pairs(kb, 25)
        written = kb.batch.write(tmp_path / "ask.jsonl", pairs=25)
        first, second = answer_batch(server, *written.files)
        assert kb.batch.read([put_lines(tmp_path / "1.jsonl", [first])]).entities == EntityVerdicts(20, 0, 1)
        assert kb.batch.read([put_lines(tmp_path / "2.jsonl", [second])]).entities == EntityVerdicts(25, 0, 0)
        assert kb.batch.missing() == NOTHING


def test_pairs_are_not_requested_while_documents_are_pending(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Mira Falk of Osk met M. Falk of Lund in Graz.")
    with says_by_name(SAME) as server, workspace(tmp_path / "kb", server) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [tmp_path / "a.txt"], pairs=20)
        assert (written.missing.documents, written.entities) == (1, None)
