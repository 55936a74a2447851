"""Indexing on a cluster of two nodes ends as indexing on one machine does, whatever dies on the way."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from polyadic.llm.budget import SpendingBudget
from polyadic.workspace import Workspace
from tests.crashes.commands import paid_twice
from tests.indexing.ray.conftest import DOCUMENTS, ROWS, contents_of, fresh, read_here
from tests.model_server import ModelServer, Status, ready
from tests.support.with_a_model import settings

pytestmark = pytest.mark.slow
AT_ONCE, WORKERS, A_MINUTE = 4, 2, 300


@pytest.fixture(scope="module")
def expected(corpus: Path) -> str:
    with ModelServer(ready()) as server:
        return read_here([corpus], settings(server))


def test_two_node_runs_end_like_a_local_run(two_nodes: Any, corpus: Path, expected: str) -> None:
    # On a busy machine a worker takes a second to begin its next call.
    delay, at_once = 2.0, 2
    with ModelServer(ready(), delay=delay) as server, Workspace(fresh(), settings(server, at_once=at_once)) as kb:
        few = kb.index_on_ray([str(file) for file in corpus.glob("*.txt")], workers=WORKERS)
        assert (few.added, few.stopped, few.failed) == (DOCUMENTS, "", [])
        # All workers are used for few files: one begins no more calls than this while one of its calls is under way.
        began = sorted(call.at for call in server.calls)
        assert any(later - earlier < delay for earlier, later in zip(began, began[at_once:], strict=False))
        server.delay = 0.0
        whole = kb.index_on_ray([str(corpus)], workers=WORKERS)
        assert (whole.added, whole.unchanged, whole.stopped, whole.failed) == (ROWS, DOCUMENTS, "", [])
        assert few.usage.calls + whole.usage.calls == len(server.calls) == len(kb.ledger().calls) == DOCUMENTS + ROWS
        assert paid_twice(server) == 0
        assert whole.skipped == [] and whole.unsupported == {".png": 1}
        assert contents_of(kb) == expected


def kill_a_worker(cluster: Any) -> None:
    """As when a host runs out of memory."""
    for child in psutil.Process().children(recursive=True):
        # It may have ended meanwhile.
        with suppress(psutil.Error):
            if "MapWorker" in " ".join(child.cmdline()):
                child.kill()
                return
    raise AssertionError("no worker is running")


def kill_a_node(cluster: Any) -> None:
    """As when a host loses power."""
    cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)


def test_killed_worker_and_killed_node_do_not_change_the_result(two_nodes: Any, corpus: Path, expected: str) -> None:
    with ModelServer(ready(), delay=0.3) as server, Workspace(fresh(), settings(server, at_once=AT_ONCE)) as kb:
        with at_call(server, 8, lambda: kill_a_worker(two_nodes)), at_call(server, 24, lambda: kill_a_node(two_nodes)):
            report = kb.index_on_ray([str(corpus)], workers=WORKERS)
        assert (report.documents, report.stopped) == (DOCUMENTS + ROWS, "")
        assert contents_of(kb) == expected
        # What was under way is asked again, and no more.
        assert paid_twice(server) <= 2 * WORKERS * AT_ONCE


@contextmanager
def at_call(server: ModelServer, number: int, do: Callable[[], None]) -> Iterator[None]:
    """Does something as soon as the server has been asked so often; it must come to that."""

    def wait() -> None:
        while len(server.calls) < number:
            time.sleep(0.05)
        do()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    yield
    waiting.join(60)
    assert not waiting.is_alive()


def test_workers_share_one_budget_and_the_next_run_resumes(
    two_nodes: Any, corpus: Path, server: ModelServer, expected: str
) -> None:
    most = SpendingBudget(tokens=28_000)
    with Workspace(fresh(), settings(server, at_once=AT_ONCE, output_tokens=3000)) as kb:
        first = kb.index_on_ray([str(corpus)], budget=most, workers=WORKERS)
        assert first.stopped.startswith("the budget of 28,000 tokens has no room") and first.added
        spent = server.prompt_tokens + server.completion_tokens
        # No call that would surely have fitted was left out.
        assert most.tokens is not None and most.tokens - 5000 < spent <= most.tokens
        rest = kb.index_on_ray([str(corpus)], workers=WORKERS)
        assert rest.stopped == "" and paid_twice(server) == 0
        assert contents_of(kb) == expected


def test_documents_are_read_from_s3_by_workers_that_share_one_rate_limit(
    two_nodes: Any, storage: Any, corpus: Path, server: ModelServer
) -> None:
    bucket, files = f"letters-{uuid4().hex}", [*sorted(corpus.glob("*.txt")), corpus / "rows.csv"]
    storage.create_bucket(Bucket=bucket)
    for file in files:
        storage.upload_file(str(file), bucket, f"old/{file.name}")
    limited = settings(server, at_once=16, requests_per_minute=A_MINUTE)
    with Workspace(fresh(), limited) as there, Workspace(fresh(), settings(server)) as here:
        report = there.index_on_ray([f"s3://{bucket}/old/"], workers=WORKERS)
        assert (report.added, report.skipped) == (DOCUMENTS + ROWS, [])
        came = sorted(call.at for call in server.calls)
        here.index(files)
        assert {record.source for record in there.documents()} == {
            record.source.replace(str(corpus.resolve()), f"s3://{bucket}/old") for record in here.documents()
        }
        assert there.status().counts == here.status().counts
        assert [fact.text for fact in there.facts_of("Mira Falk")] == [fact.text for fact in here.facts_of("Mira Falk")]
    assert len(came) == DOCUMENTS + ROWS
    # A twentieth of a minute's calls at once, and then as many in a second as are evenly left.
    at_first = A_MINUTE // 20
    assert len(came) > at_first
    for first, at in enumerate(came):
        within_a_second = sum(other < at + 1 for other in came[first:])
        # Twice as many as are evenly left: on a busy machine calls are late, and then come together.
        assert within_a_second <= at_first + 2 * (A_MINUTE - at_first) / 60 + WORKERS


def test_unavailable_model_stops_all_workers(two_nodes: Any, corpus: Path, server: ModelServer) -> None:
    server.misbehave(Status(401), times=None)
    with Workspace(fresh(), settings(server, at_once=AT_ONCE)) as kb:
        report = kb.index_on_ray([str(corpus)], workers=WORKERS)
    assert "key" in report.stopped and report.documents == 0
    assert len(server.calls) <= WORKERS * AT_ONCE * 3
