"""Indexing jobs: progress, cancelling, resuming, and what becomes of them when a process or the server ends."""

import asyncio
import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.server.jobs.job import Job
from polyadic.server.server_limits import ServerLimits
from tests.model_server import Late, ModelServer, Status
from tests.server.running_server import ADA, events, finished, make, running, wait_until
from tests.server.server_process import served_by_a_process
from tests.support.with_a_model import configured_model, story

pytestmark = pytest.mark.slow

PATH = "/v1/workspaces/letters"
AT_ONCE = 2
# A short one: a server that stops leaves a job that hangs after this.
LIMITS = ServerLimits(closing_seconds=5.0, jobs_kept=3)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that takes its time; workspaces are read by it in small chunks."""
    with configured_model(monkeypatch, 0.15, AT_ONCE) as server:
        yield server


def upload(client: httpx2.Client, documents: int = 3, sentences: int = 30) -> str:
    """A job of some duration; returns its identifier."""
    texts = [{"text": story(number, sentences), "source": f"memory:{number}"} for number in range(documents)]
    reply = client.post(f"{PATH}/documents/texts", json={"texts": texts})
    assert reply.status_code == 202, reply.text
    job: str = reply.json()["id"]
    return job


def job_of(client: httpx2.Client, job: str) -> dict[str, Any]:
    status: dict[str, Any] = client.get(f"{PATH}/jobs/{job}").json()
    return status


def wait_for_calls(model: ModelServer, calls: int) -> None:
    wait_until(lambda: len(model.calls) >= calls)


def paid_twice(model: ModelServer) -> int:
    """How many requests were answered more than once."""
    answered = Counter(call.asked.last_user_text for call in model.calls if call.status == 200)
    return sum(times - 1 for times in answered.values())


def test_progress_events_continue_until_the_job_ends(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client)
        with client.stream("GET", f"{PATH}/jobs/{job}/events") as reply:
            sent = [content for name, content in events(reply.read().decode()) if name == "job"]
    states = [one["state"] for one in sent]
    read = [one["progress"]["chunks_read"] for one in sent]
    assert states[-1] == "succeeded" and "running" in states and read == sorted(read)
    assert any(0 < one["progress"]["chunks_read"] < one["progress"]["chunks"] for one in sent)
    assert sent[-1]["report"]["added"] == 3 and sent[-1]["progress"]["tokens"] > 0


def test_a_job_is_cancelled_and_resumed_without_paying_twice(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client)
        wait_for_calls(model, 3)
        cancelled = client.post(f"{PATH}/jobs/{job}/cancel").json()
        assert (cancelled["state"], cancelled["problem"]) == ("cancelled", "it was cancelled")
        calls = len(model.asked)
        assert client.post(f"{PATH}/jobs/{job}/cancel").json()["state"] == "cancelled"
        assert client.post(f"{PATH}/jobs/{job}/resume").status_code == 202
        assert finished(client, "letters", job)["state"] == "succeeded"
        assert len(model.asked) > calls and paid_twice(model) <= AT_ONCE
        assert client.get(PATH).json()["counts"]["documents"] == 3
        assert client.post(f"{PATH}/jobs/{job}/resume").status_code == 409


def test_stopped_server_resumes_the_job_on_start(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client)
        wait_for_calls(model, 3)
    calls = len(model.asked)
    with running(folder, limits=LIMITS) as server, server.client() as client:
        ended = finished(client, "letters", job)
    assert (ended["state"], ended["attempts"], ended["report"]["added"]) == ("succeeded", 1, 3)
    assert len(model.asked) > calls and paid_twice(model) <= AT_ONCE


def test_job_watchers_are_disconnected_on_shutdown(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client)
        watching = client.build_request("GET", f"{PATH}/jobs/{job}/events")
        reply = client.send(watching, stream=True)
        wait_for_calls(model, 1)
        server.stop()
        sent = events(reply.read().decode())
    assert sent and sent[-1][1]["state"] in ("queued", "running")


def test_killed_server_resumes_the_job_on_start(folder: Path, model: ModelServer) -> None:
    with served_by_a_process(folder) as (process, client):
        make(client, "letters")
        job = upload(client)
        wait_for_calls(model, 3)
        process.kill()
    left = folder / "letters" / ".uploads" / ("f" * 32)
    (left / "0").mkdir(parents=True)
    with served_by_a_process(folder) as (_, client):
        ended = finished(client, "letters", job)
        assert (ended["state"], ended["attempts"]) == ("succeeded", 2)
        assert client.get(PATH).json()["counts"]["documents"] == 3
        # An upload is deleted after the end of its job is published.
        wait_until(lambda: not list((folder / "letters" / ".uploads").iterdir()))
    assert paid_twice(model) <= AT_ONCE


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_signal_shuts_the_server_down_cleanly(folder: Path, model: ModelServer, number: signal.Signals) -> None:
    with served_by_a_process(folder) as (process, client):
        make(client, "letters")
        job = upload(client)
        wait_for_calls(model, 2)
        process.send_signal(number)
        assert process.wait(60) in (0, -number)
    with running(folder, limits=LIMITS) as server, server.client() as client:
        assert finished(client, "letters", job)["attempts"] == 1


@pytest.mark.slow
def test_dead_job_process_is_restarted(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client)
        wait_for_calls(model, 2)
        os.kill(worker_of(server, job), signal.SIGKILL)
        ended = finished(client, "letters", job)
    assert (ended["state"], ended["attempts"]) == ("succeeded", 2)


def worker_of(server: Any, job: str) -> int:
    process: int = server.service.jobs._runner._running[job].process._process.pid
    return process


def test_failed_chunks_are_retried(folder: Path, model: ModelServer) -> None:
    model.misbehave(Status(500), on=[2])
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        partly = finished(client, "letters", upload(client, documents=1))
        assert (partly["state"], len(partly["report"]["failed"])) == ("partly", 1)
        # Where the operator's model is, is nobody's business.
        assert "the endpoint" in partly["report"]["failed"][0]["reason"]
        assert model.url not in str(partly)
        again = client.post(f"{PATH}/jobs").json()
        ended = finished(client, "letters", again["id"])
        assert (ended["state"], ended["report"]["resumed"]) == ("succeeded", 1)


def test_job_that_is_resumed_at_once_is_shown_as_queued(
    folder: Path, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the runner still has to clean up after the run that has ended."""
    model.misbehave(Status(500), on=[2])
    is_released = threading.Event()

    async def release(job: Job) -> None:
        while not is_released.is_set():
            await asyncio.sleep(0.01)

    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        monkeypatch.setattr(server.service.tenants.job_store, "release", release)
        try:
            job = finished(client, "letters", upload(client, documents=1))
            assert job["state"] == "partly"
            assert client.post(f"{PATH}/jobs/{job['id']}/resume").json()["state"] == "queued"
            assert job_of(client, job["id"])["state"] == "queued"
        finally:
            is_released.set()
        assert finished(client, "letters", job["id"])["state"] == "succeeded"


def test_job_stopped_by_budget_is_resumed(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        given = {"texts": [{"text": story(1), "source": "memory:1"}]}
        job = client.post(f"{PATH}/documents/texts", json=given, params={"spend_tokens": 0}).json()["id"]
        stopped = finished(client, "letters", job)
        assert stopped["state"] == "partly" and stopped["problem"]
        assert not model.asked


def test_jobs_of_a_workspace_run_sequentially(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=ServerLimits(jobs_at_once=4)) as server, server.client() as client:
        make(client, "letters")
        first, second = upload(client, documents=1), upload(client, documents=2)
        wait_until(lambda: job_of(client, first)["state"] == "running")
        assert job_of(client, second)["state"] == "queued"
        assert finished(client, "letters", second)["started"] >= job_of(client, first)["ended"]
        assert [job["id"] for job in client.get(f"{PATH}/jobs").json()["jobs"]] == [second, first]


def test_queries_work_while_a_job_runs(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        [document] = make(client, "letters", ADA)
        calls = len(model.calls)
        # More than is read meanwhile, on a slow machine too.
        job = upload(client, documents=20)
        wait_for_calls(model, calls + 1)
        asked = client.post(f"{PATH}/query", json={"question": "Who wrote the first program?", "by": "quotes"})
        refused = client.delete(f"{PATH}/documents/{document}")
        assert (asked.status_code, asked.json()["answered"], job_of(client, job)["state"]) == (200, True, "running")
        assert (refused.status_code, "retry-after" in refused.headers) == (409, True)
        client.post(f"{PATH}/jobs/{job}/cancel")
        assert client.delete(f"{PATH}/documents/{document}").status_code == 204


def test_workspace_can_be_deleted_while_a_job_runs(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client)
        wait_for_calls(model, 1)
        assert client.delete(PATH).status_code == 204
        assert not (folder / "letters").exists()
        make(client, "letters")
        assert client.get(f"{PATH}/jobs").json()["jobs"] == []
        assert client.get(f"{PATH}/jobs/{job}").status_code == 404


def test_job_is_visible_in_its_workspace_only(folder: Path) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters", ADA)
        make(client, "others")
        job = client.get(f"{PATH}/jobs").json()["jobs"][0]["id"]
        for path in ("", "/events"):
            assert client.get(f"/v1/workspaces/others/jobs/{job}{path}").status_code == 404
        for path in ("cancel", "resume"):
            assert client.post(f"/v1/workspaces/others/jobs/{job}/{path}").status_code == 404


def test_queued_and_kept_jobs_are_limited(folder: Path) -> None:
    with running(folder, limits=ServerLimits(jobs_waiting=2, jobs_kept=1)) as server, server.client() as client:
        make(client, "letters")
        # The first job runs until all of them have been posted.
        given = [{"texts": [{"text": text}]} for text in (story(1, 1500), ADA, ADA, ADA)]
        replies = [client.post(f"{PATH}/documents/texts", json=one) for one in given]
        assert [reply.status_code for reply in replies] == [202, 202, 503, 503]
        assert len(list((folder / "letters" / ".uploads").iterdir())) <= 2
        assert finished(client, "letters", replies[1].json()["id"])["state"] == "succeeded"
        # An old job is deleted after the end of a new one is published.
        kept = [replies[1].json()["id"]]
        wait_until(lambda: [job["id"] for job in client.get(f"{PATH}/jobs").json()["jobs"]] == kept)


def test_large_upload_does_not_delay_small_ones(folder: Path) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        for name in ("much", "little"):
            make(client, name)
        jobs = []
        for number, name in enumerate(["much"] * 4 + ["little"] * 2):
            # The first job runs until all of them have been posted.
            text = ADA if number else story(1, 1500)
            given = {"texts": [{"text": text, "source": f"memory:{number}"}]}
            jobs.append((name, client.post(f"/v1/workspaces/{name}/documents/texts", json=given).json()["id"]))
        begun = sorted((finished(client, name, job)["started"], name) for name, job in jobs)
    assert [name for _, name in begun] == ["much", "little", "much", "little", "much", "much"]


def test_one_stream_follows_all_jobs_of_a_workspace(folder: Path, model: ModelServer) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        make(client, "others")
        jobs = [upload(client, documents=1, sentences=5) for _ in range(3)]
        client.post("/v1/workspaces/others/documents/texts", json={"texts": [{"text": ADA}]})
        with client.stream("GET", f"{PATH}/jobs/events") as reply:
            lines = reply.iter_lines()
            next(lines)
            jobs.append(upload(client, documents=1, sentences=5))
            sent = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
        states = {job: [one["state"] for one in sent if one["id"] == job] for job in jobs}
        assert {one["id"] for one in sent} == set(jobs)
        assert all(states[job][-1] == "succeeded" for job in jobs)
        assert states[jobs[1]][0] == "queued" and "running" in states[jobs[1]]
        assert client.get(f"{PATH}/jobs/events").text == ""


def test_cancelled_job_ends_at_once_while_the_model_is_slow(folder: Path, model: ModelServer) -> None:
    model.misbehave(Late(20.0), times=None)
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        job = upload(client, documents=1)
        # The first call has begun, but not ended.
        wait_until(lambda: model.asked)
        begun = time.monotonic()
        assert client.post(f"{PATH}/jobs/{job}/cancel").json()["state"] == "cancelled"
        assert time.monotonic() - begun < 10, "the model would have replied after 20 seconds"


def test_parts_of_an_upload_carry_its_identifier(folder: Path) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        given = {"texts": [{"text": ADA}]}
        job = client.post(f"{PATH}/documents/texts", json=given, params={"upload": "a-1"}).json()
        assert job["request"]["upload"] == "a-1"
        assert finished(client, "letters", job["id"])["request"]["upload"] == "a-1"
        assert client.post(f"{PATH}/documents/texts", json=given, params={"upload": "a b"}).status_code == 422


def test_report_counts_what_was_read_in_other_encodings(folder: Path) -> None:
    with running(folder, limits=LIMITS) as server, server.client() as client:
        make(client, "letters")
        files = {"files": ("cafe.txt", "Ada Lovelace met René Descartes in a café.".encode("latin-1"))}
        ended = finished(client, "letters", client.post(f"{PATH}/documents/files", files=files).json()["id"])
    assert ended["state"] == "succeeded" and sum(ended["report"]["encodings"].values()) == 1
