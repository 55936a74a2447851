"""Jobs that several servers share: stopped, cut off and deleted by one while another runs them, and taken over."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from polyadic.server.server_limits import ServerLimits
from polyadic.server.tenants.postgres import PostgresTenants
from tests.model_server import ModelServer
from tests.server.running_server import Running, finished, make, running_over, wait_until
from tests.support import postgres
from tests.support.with_a_model import configured_model, story

pytestmark = pytest.mark.slow

PATH = "/v1/workspaces/letters"
AT_ONCE, DELAY = 2, 0.15
LIMITS = ServerLimits(closing_seconds=5.0)


@dataclass(frozen=True)
class Two:
    """Two servers over one database of their own, of which the first has begun a job; and the model that reads."""

    address: str
    first: Running
    second: Running
    clients: tuple[httpx2.Client, httpx2.Client]
    job: str
    model: ModelServer

    def status(self, of: int = 1) -> dict[str, Any]:
        status: dict[str, Any] = self.clients[of].get(f"{PATH}/jobs/{self.job}").json()
        return status


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Two]:
    with configured_model(monkeypatch, DELAY, AT_ONCE) as model, ExitStack() as stack:
        address = postgres.own_database()
        first = stack.enter_context(running_over(PostgresTenants(address, tmp_path), tmp_path, limits=LIMITS))
        client = stack.enter_context(first.client())
        make(client, "letters")
        texts = [{"text": story(number, 30), "source": f"memory:{number}"} for number in range(3)]
        job = client.post(f"{PATH}/documents/texts", json={"texts": texts}).json()["id"]
        wait_until(lambda: len(model.calls) >= 2)
        # The job must not end while the second server starts, which may take a second or two.
        model.delay = 1.5
        second = stack.enter_context(running_over(PostgresTenants(address, tmp_path), tmp_path, limits=LIMITS))
        other = stack.enter_context(second.client())
        model.delay = DELAY
        yield Two(address, first, second, (client, other), job, model)


def test_job_of_a_stopped_server_is_taken_over(two: Two) -> None:
    two.first.stop()
    ended = finished(two.clients[1], "letters", two.job)
    # It was stopped in order, so that is none of the times that something went wrong.
    assert (ended["state"], ended["attempts"], ended["report"]["added"]) == ("succeeded", 1, 3)
    asked = [call.asked.last_user_text for call in two.model.calls if call.status == 200]
    assert len(asked) - len(set(asked)) <= AT_ONCE


def test_server_without_its_lock_gives_up_the_job(two: Two) -> None:
    assert terminated(two.address) == 1
    ended = finished(two.clients[1], "letters", two.job)
    assert (ended["state"], ended["attempts"], ended["report"]["failed"]) == ("succeeded", 2, [])
    assert two.clients[1].get(PATH).json()["counts"]["documents"] == 3
    for client in two.clients:
        assert client.get(f"{PATH}/jobs").json()["jobs"] == [ended]


def terminated(address: str) -> int:
    """End the sessions that hold the lock of a workspace's jobs, as a broken line would; returns how many did."""
    with psycopg.connect(address, autocommit=True) as raw:
        ended = raw.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return len(ended.fetchall())


def test_jobs_survive_a_database_crash(two: Two) -> None:
    queued = two.clients[0].post(f"{PATH}/documents/texts", json={"texts": [{"text": story(9, 4)}]}).json()["id"]
    crash(two.address)
    states: dict[str, str] = {}

    def are_over() -> bool:
        for job in (two.job, queued):
            reply = two.clients[1].get(f"{PATH}/jobs/{job}")
            assert reply.status_code in (200, 503)
            if reply.status_code == 200:
                states[job] = reply.json()["state"]
        return len(states) == 2 and not {"queued", "running"} & set(states.values())

    wait_until(are_over)
    assert set(states.values()) == {"succeeded"}
    assert two.clients[0].get(PATH).json()["counts"]["documents"] == 4


def crash(address: str) -> None:
    """End a process of the database's server by force: it then ends all others, and recovers."""
    with psycopg.connect(address, autocommit=True) as raw:
        os.kill(raw.info.backend_pid, signal.SIGKILL)
        with suppress(psycopg.OperationalError):
            raw.execute("SELECT 1")


def test_job_is_cancelled_by_another_server_and_resumed(two: Two) -> None:
    before = two.status()
    assert before["state"] == "running"
    cancelled = two.clients[1].post(f"{PATH}/jobs/{two.job}/cancel").json()
    assert (cancelled["state"], cancelled["problem"]) == ("cancelled", "it was cancelled")
    assert two.status(0) == cancelled
    assert two.clients[1].post(f"{PATH}/jobs/{two.job}/resume").status_code == 202
    assert finished(two.clients[0], "letters", two.job)["state"] == "succeeded"


def test_workspace_is_deleted_by_another_server_than_the_job_s(two: Two) -> None:
    assert two.clients[1].delete(PATH).status_code == 204
    assert two.clients[0].get(PATH).status_code == 404
    # Nothing that was under way makes it anew.
    time.sleep(2)
    assert two.clients[0].get("/v1/workspaces").json()["workspaces"] == []
    with psycopg.connect(two.address) as raw:
        for table in ("polyadic_server.job", "polyadic_server.upload", "polyadic.document", "polyadic.chunk"):
            assert raw.execute(f"SELECT count(*) FROM {table}".encode()).fetchall() == [(0,)]
