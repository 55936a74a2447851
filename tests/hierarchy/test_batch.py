"""The hierarchy by batch files: round by round the same as by calls, whatever comes back, and nothing is paid twice."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.model.hierarchy import Hierarchy
from polyadic.storage.pending_requests import PendingCounts
from polyadic.workspace import Workspace
from tests.hierarchy.towns import by_model, document, hierarchy_of, source_of, workspace
from tests.model_server import ModelServer, Replaced, ready
from tests.model_server.batches import answer_batch, failed
from tests.support.batches import bodies_of, lines_of, put_lines, round_trip, until_done
from tests.support.with_a_model import SMALL as SMALL_CHUNKS
from tests.support.with_a_model import settings, story

DOCUMENTS = 14
SMALL = HierarchyBuildSettings(cluster_members=6)
NOTHING = PendingCounts(0, 0, 0)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def directly(folder: Path, server: ModelServer) -> tuple[Hierarchy, list[str]]:
    """What asking by calls ends with, and what was sent; the server forgets these."""
    with workspace(folder, by_model(server, SMALL), DOCUMENTS) as kb:
        kb.hierarchy.build()
        held = hierarchy_of(kb)
    sent = sorted(json.dumps(one.body, sort_keys=True) for one in server.asked)
    server.reset()
    return held, sent


@pytest.mark.slow
def test_batch_rounds_end_like_a_direct_build(tmp_path: Path, server: ModelServer) -> None:
    expected, sent = directly(tmp_path / "direct", server)
    with workspace(tmp_path / "kb", by_model(server, SMALL, key_variable="KEY_THAT_NOBODY_SET"), DOCUMENTS) as kb:
        files: list[Path] = []
        written, rounds = kb.batch.write(tmp_path / "0.jsonl", hierarchy=True), 0
        while written.files:
            assert written.hierarchy and written.hierarchy.pending == written.requests
            assert kb.batch.missing() == PendingCounts(written.requests, 0, 0)
            assert hierarchy_of(kb) == Hierarchy()
            files += written.files
            read = round_trip(kb, server, written, tmp_path / f"answers-{rounds}.jsonl")
            assert (read.accepted, read.refused) == (written.requests, 0)
            rounds += 1
            written = kb.batch.write(tmp_path / f"{rounds}.jsonl")
        assert rounds == 1 + len({one.layer for one in expected.clusters})
        assert read.hierarchy and read.hierarchy.changed and kb.batch.missing() == NOTHING
        assert hierarchy_of(kb) == expected and bodies_of(files) == sent
        assert kb.status().spent.calls == len(sent) == len(server.calls)
        assert kb.batch.write(tmp_path / "none.jsonl", hierarchy=True).files == []


@pytest.mark.slow
def test_missing_and_broken_replies_are_requested_again(tmp_path: Path, server: ModelServer) -> None:
    expected, sent = directly(tmp_path / "direct", server)
    with workspace(tmp_path / "kb", by_model(server, SMALL), DOCUMENTS) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", hierarchy=True)
        answers = answer_batch(server, *written.files)
        server.reset()
        server.misbehave(Replaced("It is all very interesting."))
        (useless,) = answer_batch(server, put_lines(tmp_path / "one.jsonl", lines_of(written.files)[:1]))
        first = kb.batch.read([put_lines(tmp_path / "1.jsonl", [useless, failed(answers[1]), *answers[3:]])])
        assert (first.accepted, first.refused) == (len(answers) - 3, 2)
        assert sorted(first.failed_hierarchy.values()) == [1, 1]
        assert first.hierarchy and first.hierarchy.pending == 3 and first.missing.requests == 3
        until_done(kb, server, tmp_path)
        assert hierarchy_of(kb) == expected
        assert kb.status().spent.calls == len(sent) + 1  # what could not be read was paid for as well


def test_cluster_with_nothing_in_common_does_not_keep_a_batch_pending(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", by_model(server, SMALL), DOCUMENTS) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", hierarchy=True)
        server.misbehave(Replaced('{"summaries": []}'))
        (empty,) = answer_batch(server, put_lines(tmp_path / "one.jsonl", lines_of(written.files)[:1]))
        read = kb.batch.read([put_lines(tmp_path / "1.jsonl", [empty])])
        assert (read.accepted, read.refused, read.missing.requests) == (1, 0, written.requests - 1)


@pytest.mark.slow
def test_changes_between_rounds_are_requested_in_their_current_form(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", by_model(server, SMALL), DOCUMENTS) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", hierarchy=True)
        kb.delete(source_of(3))
        kb.add([document(DOCUMENTS)])
        round_trip(kb, server, written, tmp_path / "answers.jsonl")
        until_done(kb, server, tmp_path)
        built = hierarchy_of(kb)
        assert built.summaries and kb.batch.missing() == NOTHING
        assert not kb.hierarchy.build().changed and hierarchy_of(kb) == built


@pytest.mark.slow
def test_direct_build_takes_over_pending_requests(tmp_path: Path, server: ModelServer) -> None:
    expected, sent = directly(tmp_path / "direct", server)
    with workspace(tmp_path / "kb", by_model(server, SMALL), DOCUMENTS) as kb:
        round_trip(kb, server, kb.batch.write(tmp_path / "ask.jsonl", hierarchy=True), tmp_path / "answers.jsonl")
        assert kb.batch.missing().requests
        kb.hierarchy.build()
        assert hierarchy_of(kb) == expected and len(server.calls) == len(sent)
        assert not kb.batch.write(tmp_path / "more.jsonl").files and kb.batch.missing() == NOTHING


def test_hierarchy_requests_wait_for_pending_documents(tmp_path: Path, server: ModelServer) -> None:
    (tmp_path / "letters.txt").write_text(story(1, 8))
    with Workspace(tmp_path / "kb", settings(server, chunking=SMALL_CHUNKS)) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [tmp_path / "letters.txt"], hierarchy=True)
        assert written.hierarchy is None and written.missing.documents == 1
        assert round_trip(kb, server, written, tmp_path / "answers.jsonl").hierarchy is None
        first = kb.batch.write(tmp_path / "hierarchy.jsonl", hierarchy=True)
        assert first.hierarchy and first.hierarchy.pending
        round_trip(kb, server, first, tmp_path / "hierarchy-answers.jsonl")
        until_done(kb, server, tmp_path)
        assert hierarchy_of(kb).summaries


def test_forgotten_requests_are_not_pending(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", by_model(server, SMALL), DOCUMENTS) as kb:
        assert kb.batch.write(tmp_path / "ask.jsonl", hierarchy=True).files
        assert kb.batch.forget().requests and kb.batch.missing() == NOTHING
        assert not kb.batch.write(tmp_path / "more.jsonl").files
