"""Three servers over one database behind one nginx: as one, and nothing is lost where one of them is killed."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.interchange.export import export_file
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.deployment.nginx import nginx, program
from tests.model_server import Gate, ModelServer
from tests.server.running_server import add_key, events, finished, make, wait_until
from tests.server.server_process import Served, forked, killed, workers
from tests.support import postgres
from tests.support.with_a_model import configured_model, story

pytestmark = pytest.mark.slow

SERVERS, WORKSPACES, JOBS, TEXTS = 3, 3, 3, 2
AT_ONCE, CALLS_BEFORE = 2, 3
SHARED = "Ada Lovelace met Charles Babbage in London. "
TRIES = 50
SECONDS_BETWEEN = 2.0
DELAY = 0.1


@dataclass(frozen=True)
class Fleet:
    """Servers, and clients of all of them together and of each."""

    servers: list[Served]
    client: httpx2.Client
    each: list[httpx2.Client]
    model: ModelServer


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """A model that takes its time reads for them."""
    program()
    with configured_model(monkeypatch, DELAY, AT_ONCE) as model, ExitStack() as stack:
        settings = tmp_path / "settings"
        headers = {"Authorization": f"Bearer {add_key(settings, 'write', '*')}"}
        command = ("serve", postgres.own_database(), "--settings", str(settings), "--port", "0")
        servers = [stack.enter_context(forked(tmp_path / f"server-{one}.log", *command)) for one in range(SERVERS)]
        url = stack.enter_context(nginx(tmp_path / "nginx", [one.port for one in servers]))
        # The certificate is one that the test has made.
        clients = [
            stack.enter_context(httpx2.Client(base_url=at, headers=headers, timeout=60, verify=False))
            for at in (url, *(one.url for one in servers))
        ]
        yield Fleet(servers, clients[0], clients[1:], model)


def texts_of(workspace: int, job: int) -> list[dict[str, str]]:
    """Documents of which some come again with another job, and which all share entities and facts."""
    numbers = [10 * workspace + job + more for more in range(TEXTS)]
    return [{"text": SHARED + story(number, 8), "source": f"memory:{number}"} for number in numbers]


def upload_texts(client: httpx2.Client, path: str, texts: list[dict[str, str]]) -> str:
    """The job of texts, which are sent until they are accepted, as any client of a web server has to."""
    for _ in range(TRIES):
        with suppress(httpx2.TransportError):
            reply = client.post(f"{path}/documents/texts", json={"texts": texts})
            if reply.status_code == 202:
                return str(reply.json()["id"])
            assert reply.status_code in (502, 503, 504), reply.text
    raise AssertionError("nobody accepted it")


def test_killed_replica_loses_and_duplicates_nothing(fleet: Fleet, tmp_path: Path) -> None:
    # No job ends before a server is killed: the first one of a workspace makes more calls than the gate lets through.
    gate = Gate()
    fleet.model.misbehave(gate, times=None, when=lambda asked: asked.number > CALLS_BEFORE)
    names = [postgres.fresh() for _ in range(WORKSPACES)]
    for name in names:
        make(fleet.client, name)
    accepted: dict[str, str] = {}
    is_over = threading.Event()
    work = [(number, job) for job in range(JOBS) for number in range(WORKSPACES)]

    def upload_one(what: tuple[int, int]) -> None:
        number, job = what
        # Some come before one is killed, some at that moment, some after it.
        time.sleep(SECONDS_BETWEEN * job)
        accepted[upload_texts(fleet.client, f"/v1/workspaces/{names[number]}", texts_of(number, job))] = names[number]

    def ask() -> Counter[int]:
        """Questions without end, to whoever answers."""
        said: Counter[int] = Counter()
        while not is_over.wait(0.3):
            body = {"question": "Where did Ada Lovelace meet Charles Babbage?", "by": "quotes"}
            for name in names:
                with suppress(httpx2.TransportError):
                    said[fleet.client.post(f"/v1/workspaces/{name}/query", json=body).status_code] += 1
        return said

    with ThreadPoolExecutor(len(work) + 1) as threads:
        asking = threads.submit(ask)
        uploading = [threads.submit(upload_one, what) for what in work]
        try:
            victim = one_at_work(fleet)
            readers = workers(victim.process)
            killed(victim.process)
            for reader in readers:
                with suppress(ProcessLookupError):
                    os.kill(reader, signal.SIGKILL)
            gate.opened.set()
            for done in uploading:
                done.result(120)
            ended = [finished(fleet.client, name, job) for job, name in accepted.items()]
        finally:
            gate.opened.set()
            is_over.set()
        answered = asking.result(60)
    assert len(accepted) == len(work) and {job["state"] for job in ended} == {"succeeded"}
    # That of the server that was killed was begun again, and by then none had died of anything else.
    assert sorted(job["attempts"] for job in ended)[-2:] in ([1, 2], [2, 2])
    assert answered[200] > 0 and set(answered) <= {200, 502, 504}
    for number, name in enumerate(names):
        assert fleet.client.get(f"/v1/workspaces/{name}").json()["counts"]["documents"] == JOBS + TEXTS - 1
        exported = fleet.client.get(f"/v1/workspaces/{name}/export", params={"format": "hif"}).content
        assert exported == of_a_serial_run(tmp_path / name, number)


def one_at_work(fleet: Fleet) -> Served:
    """A server that runs a job; the model has answered something by then."""
    found: list[Served] = []

    def is_there() -> bool:
        found[:] = [one for one in fleet.servers if workers(one.process)]
        return bool(found) and len(fleet.model.calls) >= CALLS_BEFORE

    wait_until(is_there)
    return found[0]


def of_a_serial_run(folder: Path, number: int) -> bytes:
    """What a workspace holds where one process reads all of it, one document after the other."""
    with Workspace(folder) as kb:
        for job in range(JOBS):
            for text in texts_of(number, job):
                kb.add([Document(text["source"], "", text["text"])])
        export_file(kb, "hif", folder / "export")
    return (folder / "export").read_bytes()


def test_all_replicas_answer_alike(fleet: Fleet) -> None:
    name = postgres.fresh()
    path = f"/v1/workspaces/{name}"
    make(fleet.client, name)
    # Every server polls while the job is running.
    fleet.model.delay = 1.0
    job = upload_texts(fleet.client, path, texts_of(0, 0))
    with ThreadPoolExecutor(SERVERS) as threads:
        watched = list(threads.map(lambda client: states(client, f"{path}/jobs/{job}/events"), fleet.each))
    fleet.model.delay = DELAY
    for job_states in watched:
        assert job_states[-1]["state"] == "succeeded" and job_states[-1]["report"]["added"] == TEXTS
        assert any(one["state"] == "running" for one in job_states)
    history = [
        {"role": "user", "content": "Whom did Ada Lovelace meet?"},
        {"role": "assistant", "content": "Charles Babbage [1]."},
        {"role": "user", "content": "Where did she meet him?"},
    ]
    for client in (*fleet.each, *[fleet.client] * SERVERS):
        chat = client.post("/v1/chat/completions", json={"model": name, "messages": history})
        assert chat.status_code == 200 and chat.json()["choices"][0]["message"]["content"]
        assert client.get(f"{path}/jobs/{job}").json()["state"] == "succeeded"
    # One that no server is told of directly: it is stopped by whichever runs it.
    slow = upload_texts(fleet.client, path, [{"text": story(99, 200), "source": "memory:slow"}])
    wait_until(lambda: fleet.client.get(f"{path}/jobs/{slow}").json()["state"] == "running")
    stopped = fleet.client.post(f"{path}/jobs/{slow}/cancel").json()
    assert (stopped["state"], stopped["problem"]) == ("cancelled", "it was cancelled")


def states(client: httpx2.Client, path: str) -> list[dict[str, Any]]:
    """What somebody is told who watches a job until it has ended."""
    with client.stream("GET", path) as reply:
        return [one for name, one in events(reply.read().decode()) if name == "job"]
