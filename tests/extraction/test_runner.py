"""Many chunks at once, and what goes wrong with some or all of them."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings
from polyadic.errors import PolyadicError
from polyadic.indexing.report import IndexProgress
from polyadic.model.types import Document
from polyadic.storage.sql.writer import SqlWriter
from polyadic.workspace import Workspace
from tests.model_server import (
    Changed,
    EmptyText,
    Late,
    Misbehaviour,
    ModelServer,
    NotJson,
    NullContent,
    Prose,
    Refusal,
    Replaced,
    Said,
    Status,
    ready,
)
from tests.support.with_a_model import SMALL, evidence, export, settings, story, workspace

LETTERS = Document("memory:letters", "Letters", story(0))
MANY = [Document(f"memory:{n}", f"Letters {n}", story(n, 4)) for n in range(24)]


def undisturbed(folder: Path, documents: Sequence[Document]) -> tuple[str, int]:
    """The canonical text of a workspace where nothing went wrong, and the calls that this took."""
    with ModelServer(ready()) as server, workspace(folder / "undisturbed", server, chunking=SMALL) as kb:
        assert not kb.add(documents).failed
        return export(kb), len(server.calls)


FAULTS: list[Misbehaviour] = [
    Refusal(),
    Replaced("I am afraid that this passage is not about anything."),
    EmptyText(),
    NullContent(),
    Changed(lambda said: Said(None, finish_reason="content_filter")),
    NotJson(),
    Status(400, message="Something odd."),
]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_chunk_without_a_reply_does_not_stop_the_run(tmp_path: Path, fault: Misbehaviour) -> None:
    whole, calls = undisturbed(tmp_path, [LETTERS, *MANY[:2]])
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        server.misbehave(fault, times=None, when=lambda asked: "letter 8 " in asked.text)
        report = kb.add([LETTERS, *MANY[:2]])
        assert (report.added, len(report.failed), report.stopped) == (3, 1, "")
        (failed,) = report.failed
        assert failed.source == LETTERS.source and "\n" not in failed.reason
        assert "letter 8 " in LETTERS.text[failed.span.start : failed.span.end]
        assert kb.status().failures == (failed,)
        assert len(evidence(kb, LETTERS.source)) > 20
        server.reset()
        server.misbehave(fault, times=None)
        again = kb.add([LETTERS, *MANY[:2]])
        assert (again.resumed, again.unchanged, len(server.calls)) == (1, 2, 1)
        server.reset()
        assert not kb.add([LETTERS, *MANY[:2]]).failed
        assert len(server.calls) == 1
        assert kb.status().failures == ()
        assert export(kb) == whole
        server.reset()
        assert kb.add([LETTERS, *MANY[:2]]).unchanged == 3
        assert server.calls == []
    assert calls > 10


def test_prose_around_a_reply_is_ignored(tmp_path: Path) -> None:
    whole, _ = undisturbed(tmp_path, [LETTERS])
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        server.misbehave(Prose(), times=None)
        assert not kb.add([LETTERS]).failed
        assert export(kb) == whole


def test_reply_without_facts_is_valid(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL) as kb:
        server.misbehave(Replaced('{"facts": []}'), times=None)
        report = kb.add([LETTERS])
        assert (report.failed, report.evidence, report.added) == ([], 0, 1)
        server.reset()
        assert kb.add([LETTERS]).unchanged == 1 and not server.calls


# what stops a run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Status(401, "invalid_api_key"), "refuses"),
        (Status(404, "model_not_found"), "has no model"),
        (Status(429, "insufficient_quota", headers={"x-should-retry": "false"}), "no credit"),
    ],
)
@pytest.mark.parametrize("after", [0, 9])
def test_unavailable_model_stops_the_run_and_keeps_evidence(
    tmp_path: Path, fault: Misbehaviour, said: str, after: int
) -> None:
    whole, calls = undisturbed(tmp_path, MANY)
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, chunking=SMALL, at_once=4) as kb:
        server.misbehave(fault, on=range(after + 1, 1000))
        report = kb.add(MANY)
        assert said in report.stopped and "\n" not in report.stopped
        assert len(server.calls) <= after + 4
        answered = sum(call.status == 200 for call in server.calls)
        assert answered == after
        documents = {record.source for record in kb.documents()}
        assert documents == {d.source for d in MANY if len(evidence(kb, d.source)) == 4}
        assert len(documents) == report.documents == report.added
        assert bool(documents) == bool(after)
        server.reset()
        assert not kb.add(MANY).stopped
        assert len(server.calls) == calls - answered
        assert export(kb) == whole


@pytest.mark.slow
def test_server_failure_during_a_run_stops_it(tmp_path: Path) -> None:
    whole, calls = undisturbed(tmp_path, MANY)
    folder = tmp_path / "kb"
    with ModelServer(ready(), delay=0.05) as server:

        async def run(kb: Workspace) -> None:
            running = asyncio.create_task(kb.aadd(MANY))
            while len(server.calls) < 8:
                await asyncio.sleep(0.005)
            await asyncio.to_thread(server.stop)
            report = await running
            assert "\n" not in report.stopped and report.stopped
            assert report.chunks_read < len(MANY) + 8

        with workspace(folder, server, chunking=SMALL, at_once=4) as kb:
            asyncio.run(run(kb))
        answered = sum(call.status == 200 for call in server.calls)
        assert answered >= 8
    with ModelServer(ready()) as other, workspace(folder, other, chunking=SMALL) as kb:
        assert not kb.add(MANY).stopped
        assert len(other.calls) == calls - answered
        assert export(kb) == whole


@pytest.mark.slow
def test_twelve_consecutive_failures_stop_the_run(tmp_path: Path) -> None:
    documents = [*MANY, Document("memory:long", "Long", story(90, 200))]
    whole, calls = undisturbed(tmp_path, documents)
    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, chunking=SMALL, at_once=4) as kb:
        server.misbehave(Replaced("No idea."), on=range(6, 1000))
        report = kb.add(documents)
        assert "12 calls in a row" in report.stopped and "No idea." in report.stopped
        assert 17 <= len(server.calls) <= 20
        server.reset()
        assert not kb.add(documents).stopped
        assert len(server.calls) == calls - 5
        assert export(kb) == whole


def test_refused_document_does_not_block_others(tmp_path: Path) -> None:
    bad = Document("memory:bad", "Bad", story(90, 200))
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL, at_once=4) as kb:
        server.misbehave(Refusal(), when=lambda asked: "Document: Bad" in asked.text, times=None)
        report = kb.add([bad, *MANY])
        assert (report.stopped, report.added) == ("", 1 + len(MANY))
        assert len(report.failed) > 12
        assert {failure.source for failure in report.failed} == {bad.source}


@pytest.mark.slow
def test_previously_failed_documents_do_not_block_others(tmp_path: Path) -> None:
    bad = [Document(f"memory:bad{n:02}", "Bad", story(90 + n, 1)) for n in range(30)]
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL, at_once=1) as kb:
        server.misbehave(Refusal(), when=lambda asked: "Document: Bad" in asked.text, times=None)
        assert kb.add([*bad, *MANY]).stopped
        for _ in range(3):
            kb.add([*bad, *MANY])
        assert not kb.add([*bad, *MANY]).stopped
        assert {record.source for record in kb.documents()} >= {document.source for document in MANY}


def test_scattered_failures_do_not_stop_the_run(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL, at_once=2) as kb:
        server.misbehave(EmptyText(), on=range(2, 1000, 2))
        report = kb.add([Document("memory:long", "Long", story(0, 200))])
        assert len(report.failed) > 12 and not report.stopped


# ended from outside


def test_stopped_run_keeps_paid_replies(tmp_path: Path) -> None:
    whole, calls = undisturbed(tmp_path, MANY)
    with (
        ModelServer(ready(), delay=0.05) as server,
        workspace(tmp_path / "kb", server, chunking=SMALL, at_once=4) as kb,
    ):

        async def run() -> None:
            running = asyncio.create_task(kb.aadd(MANY))
            while len(server.calls) < 10:
                await asyncio.sleep(0.005)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

        asyncio.run(run())
        answered = kb.status().spent.calls
        assert answered >= sum(call.status == 200 for call in server.calls) - 4
        assert answered >= 8 and len(server.asked) <= answered + 4
        assert kb.documents() == []
        server.reset()
        server.delay = 0
        kb.add(MANY)
        assert len(server.calls) == calls - answered
        assert export(kb) == whole


def test_a_crash_between_reply_and_evidence_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = undisturbed(tmp_path, MANY)

    def crash(*_: object) -> None:
        raise RuntimeError("on purpose")

    with ModelServer(ready()) as server, workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        with monkeypatch.context() as patched:
            patched.setattr(SqlWriter, "put_evidence", crash)
            with pytest.raises(RuntimeError, match="on purpose"):
                kb.add(MANY)
        assert kb.documents() == []
        server.reset()
        kb.add(MANY)
        assert server.calls == []
        assert export(kb) == whole


# many at once


@pytest.mark.slow
@pytest.mark.parametrize(
    "documents", [[Document("memory:long", "Long", story(0, 200))], [*MANY, *MANY[:1]]], ids=["chunks", "documents"]
)
def test_sixteen_calls_run_concurrently(tmp_path: Path, documents: Sequence[Document]) -> None:
    with ModelServer(ready(), delay=0.2) as server, workspace(tmp_path, server, chunking=SMALL) as kb:
        kb.add(documents)
        assert server.most_at_once == 16


def test_concurrency_respects_the_setting(tmp_path: Path) -> None:
    with ModelServer(ready(), delay=0.01) as server, workspace(tmp_path, server, chunking=SMALL, at_once=3) as kb:
        # So late that a slow machine has sent three meanwhile.
        server.misbehave(Late(0.3), times=3)
        kb.add(MANY)
        assert server.most_at_once == 3


def test_progress_counts_every_chunk(tmp_path: Path) -> None:
    seen: list[IndexProgress] = []
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL) as kb:
        started = time.perf_counter()
        report = asyncio.run(kb.aadd([LETTERS], seen.append))
        assert seen[-1].chunks_read == seen[-1].chunks == report.chunks
        assert seen[-1].usage == report.usage and report.usage.calls == report.chunks
        assert report.seconds <= time.perf_counter() - started


def test_text_without_words_is_not_sent(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server) as kb:
        kb.add([Document("memory:blank", "Blank", " \n\n ")])
        assert server.asked == []


# what no file and no database takes


@pytest.mark.parametrize("text", ["\ud800 No idea.", "No \0 idea."])
def test_non_text_reply_fails_only_its_chunk(tmp_path: Path, text: str) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL) as kb:
        server.misbehave(Replaced(text), on=(2,))
        report = kb.add([LETTERS])
        assert len(report.failed) == 1 and kb.status().failures == tuple(report.failed)
        kb.add([LETTERS])
        assert kb.status().failures == ()


def test_reply_with_a_lone_surrogate_is_kept_and_cached(tmp_path: Path) -> None:
    with ModelServer(ready()) as server, workspace(tmp_path, server, chunking=SMALL) as kb:
        server.misbehave(Changed(lambda said: Said(f"\ud800{said.text}\0")), times=None)
        report = kb.add([LETTERS])
        assert (report.failed, report.evidence_with_fact) == ([], 40)
        kb.delete(LETTERS.source)
        assert kb.add([LETTERS]).usage.calls == 0


# the embedder's endpoint


def test_evidence_is_kept_if_embedding_fails(tmp_path: Path) -> None:
    whole = EmbeddingSettings(model="endpoint", name="hashing", key_variable="", retries=0)
    with ModelServer(ready()) as server:
        base = settings(server, chunking=SMALL)
        chosen = base.model_copy(update={"embedding": whole.model_copy(update={"base_url": server.url})})
        with Workspace(tmp_path, chosen) as kb:
            kb.add(MANY[:1])
            server.misbehave(Status(500), times=None, route="embeddings")
            with pytest.raises(PolyadicError) as problem:
                kb.add(MANY)
            assert "\n" not in str(problem.value)
            assert len(kb.documents()) == 1
            server.reset()
            assert kb.add(MANY).added == len(MANY) - 1
            assert server.calls == []
