"""A server that is killed at any moment, clients that take nothing or vanish: nothing is lost, nothing is held."""

import json
import os
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from polyadic.server.server_limits import ServerLimits
from polyadic.storage.sqlite.store import SqliteStore
from tests.model_server import ModelServer
from tests.server.running_server import ADA, QUESTION, finished, make, wait_until
from tests.server.server_process import Process, figure, killed, opened, served_by_a_process, workers
from tests.support.with_a_model import configured_model, story

pytestmark = pytest.mark.slow

PATH = "/v1/workspaces/letters"
DOCUMENTS = 4
CLIENTS = 8
ROUNDS = 3
SPARE = 3
"""Connections that may come and go meanwhile: those of the test's client, and to the model."""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with configured_model(monkeypatch, 0.1) as server:
        yield server


# killed


def upload(client: httpx2.Client) -> str:
    texts = [{"text": story(number, 30), "source": f"memory:{number}"} for number in range(DOCUMENTS)]
    reply = client.post(f"{PATH}/documents/texts", json={"texts": texts})
    assert reply.status_code == 202, reply.text
    job: str = reply.json()["id"]
    return job


def exported(client: httpx2.Client) -> bytes:
    return client.get(f"{PATH}/export", params={"format": "hif"}).content


@pytest.fixture(scope="module")
def uninterrupted_export(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of a workspace whose indexing is never interrupted."""
    with (
        pytest.MonkeyPatch.context() as environment,
        configured_model(environment, 0),
        served_by_a_process(tmp_path_factory.mktemp("uninterrupted") / "kb") as (_, client),
    ):
        make(client, "letters")
        assert finished(client, "letters", upload(client))["state"] == "succeeded"
        return exported(client)


@pytest.mark.parametrize("whom", ["the server", "the server and the job"])
def test_server_killed_repeatedly_while_indexing_ends_alike(
    folder: Path, uninterrupted_export: bytes, model: ModelServer, whom: str
) -> None:
    # The job makes 32 calls: many are left when the second server is killed.
    model.delay = 0.3
    job = ""
    for attempt, more in ((1, 1), (2, 9)):
        with served_by_a_process(folder) as (process, client):
            if not job:
                make(client, "letters")
                job = upload(client)
            wait_until_running(client, job, attempt)
            # What was left of the attempt before may have made calls until now.
            begun = len(model.calls)
            wait_until(lambda begun=begun, more=more: len(model.calls) >= begun + more)
            assert stage(client, job) == ("running", attempt)
            readers = workers(process)
            killed(process)
            if whom != "the server":
                for reader in readers:
                    with suppress(ProcessLookupError):
                        os.kill(reader, signal.SIGKILL)
            assert not problems(folder / "letters")
    model.delay = 0.0
    with served_by_a_process(folder) as (_, client):
        ended = finished(client, "letters", job)
        assert (ended["state"], ended["attempts"]) == ("succeeded", 3)
        assert exported(client) == uninterrupted_export
        assert client.get(PATH).json()["counts"]["documents"] == DOCUMENTS
        # An upload is deleted after the end of its job is published.
        wait_until(lambda: not list((folder / "letters" / ".uploads").iterdir()))
    assert not problems(folder / "letters")


def wait_until_running(client: httpx2.Client, job: str, attempt: int) -> None:
    wait_until(lambda: stage(client, job) == ("running", attempt))


def stage(client: httpx2.Client, job: str) -> tuple[str, int]:
    status = client.get(f"{PATH}/jobs/{job}").json()
    return status["state"], status["attempts"]


def problems(folder: Path) -> list[str]:
    with closing(SqliteStore(folder, None)) as store:
        return store.problems()


@pytest.mark.parametrize("moment", ["while it is sent", "while it is kept"])
def test_upload_interrupted_by_a_kill_leaves_no_job(folder: Path, moment: str) -> None:
    """Or all of it: what it has acknowledged or begun to read is whole."""
    held = folder / "letters" / ".uploads"
    with served_by_a_process(folder) as (process, client):
        make(client, "letters", ADA)
        before = exported(client)
        sending = threading.Thread(target=_upload, args=(client.base_url, moment == "while it is sent"))
        sending.start()
        wait_until(lambda: any(held.iterdir()) if moment == "while it is kept" else files_open_in_tmp(process.pid))
        killed(process)
        sending.join(10)
    with served_by_a_process(folder) as (_, client):
        for job in client.get(f"{PATH}/jobs").json()["jobs"]:
            finished(client, "letters", job["id"])
        assert exported(client) == before
        jobs = {job["id"] for job in client.get(f"{PATH}/jobs").json()["jobs"]}
        assert {left.name for left in held.iterdir()} <= jobs
        assert (moment, len(jobs)) != ("while it is sent", 2)
        again = client.post(f"{PATH}/documents/files", files={"files": ("ada.txt", ADA.encode())}).json()
        assert finished(client, "letters", again["id"])["state"] == "succeeded"
        assert client.get(PATH).json()["counts"]["documents"] == 2


def _upload(url: httpx2.URL, is_stopped: bool) -> None:
    """Send a large file that nothing can be read from; all of it, or most and then nothing more."""
    size = 32_000_000
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="large.pdf"\r\n\r\n'
    whole = len(head) + size + len(b"\r\n--x--\r\n")
    with connected(str(url)) as connection, suppress(OSError):
        connection.sendall(
            f"POST {PATH}/documents/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: {whole}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\n\r\n".encode()
        )
        connection.sendall(head + b"\0" * (size // 2 if is_stopped else size))
        if not is_stopped:
            connection.sendall(b"\r\n--x--\r\n")
        connection.recv(1)


def files_open_in_tmp(process: int) -> bool:
    """Whether a process writes a file that has no name any more, as an upload is while it comes."""
    for link in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            if str(link.readlink()).endswith(" (deleted)"):
                return True
    return False


# vanished, or slow


def connected(url: str, receives: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receives:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", urlsplit(url).port))
    return connection


def asking(url: str, path: str, body: object, receives: int | None = None) -> socket.socket:
    """A connection on which something has been asked, and nothing read."""
    connection = connected(url, receives)
    content = json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    connection.sendall(f"{head}Content-Length: {len(content) if body is not None else 0}\r\n\r\n".encode())
    if body is not None:
        connection.sendall(content)
    return connection


def torn(connection: socket.socket) -> None:
    """Closed without a word, as where a network is gone."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def closed(connection: socket.socket) -> None:
    connection.close()


@pytest.mark.parametrize("leave", [torn, closed])
def test_disconnected_streaming_clients_leave_nothing(
    folder: Path, model: ModelServer, leave: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYADIC_EXTRACTION__EXTRACTOR", "sentences")
    with served_by_a_process(folder) as (process, client):
        make(client, "letters", ADA)
        assert client.post(f"{PATH}/query", json={"question": QUESTION}).status_code == 200
        sockets, before, url = opened(process, "socket:"), opened(process), str(client.base_url)
        # All streams are open before the first one ends.
        model.tokens_per_second = 0.5
        for _ in range(ROUNDS):
            streams = [asking(url, f"{PATH}/query/stream", {"question": QUESTION}) for _ in range(CLIENTS)]
            for stream in streams:
                assert b" 200 " in stream.recv(1000)
            wait_until(lambda: figure(client, "polyadic_questions_in_progress") == CLIENTS)
            # Each asks the model a moment after it has begun.
            wait_until(lambda: opened(process, "socket:") > sockets + SPARE)
            for stream in streams:
                leave(stream)
            wait_until(lambda: is_quiet(client))
            wait_until(lambda: opened(process, "socket:") <= sockets + SPARE)
        # SQLite keeps the file of a connection for the next one; there are no more than there were readers at once.
        assert opened(process) < before + 2 * CLIENTS


def test_disconnected_job_watchers_leave_nothing(folder: Path, model: ModelServer) -> None:
    with served_by_a_process(folder) as (process, client):
        make(client, "letters")
        # The job lasts until all watchers have gone.
        model.delay = 1.0
        job = upload(client)
        wait_until(lambda: len(model.calls) >= 1)
        sockets, url = opened(process, "socket:"), str(client.base_url)
        watchers = [asking(url, f"{PATH}/jobs/{job}/events", None) for _ in range(CLIENTS)]
        for watcher in watchers:
            assert b" 200 " in watcher.recv(1000)
        wait_until(lambda: figure(client, "polyadic_workspace_uses") >= CLIENTS)
        assert opened(process, "socket:") > sockets + SPARE
        for watcher in watchers:
            torn(watcher)
        wait_until(lambda: figure(client, "polyadic_workspace_uses") == 0)
        wait_until(lambda: opened(process, "socket:") <= sockets + SPARE)
        assert stage(client, job)[0] == "running"
        model.delay = 0.0
        assert finished(client, "letters", job)["state"] == "succeeded"


@dataclass(frozen=True)
class LongDocument:
    """A server process with one document whose responses exceed the buffers of a socket."""

    folder: Path
    process: Process
    client: httpx2.Client
    document: str


@pytest.fixture(scope="module")
def long_document(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LongDocument]:
    folder = tmp_path_factory.mktemp("stalled") / "served"
    text = "\n\n".join(story(number, 400) for number in range(10))
    with served_by_a_process(folder, ServerLimits(idle_seconds=2.0)) as (process, client):
        (document,) = make(client, "letters", text)
        yield LongDocument(folder, process, client, document)


@pytest.mark.parametrize("what", ["an answer", "an export", "a text"])
def test_stalled_clients_are_disconnected(long_document: LongDocument, what: str) -> None:
    """Meanwhile other questions are answered, and an export leaves no file behind."""
    body = {"question": QUESTION, "method": "chunks", "context_tokens": 200_000} if what == "an answer" else None
    path = {
        "an answer": f"{PATH}/query/stream",
        "an export": f"{PATH}/export",
        "a text": f"{PATH}/documents/{long_document.document}/text",
    }[what]
    process, client = long_document.process, long_document.client
    client.post(f"{PATH}/query", json={"question": QUESTION})
    sockets, url = opened(process, "socket:"), str(client.base_url)
    with ExitStack() as stack:
        for _ in range(CLIENTS):
            stack.enter_context(asking(url, path, body, receives=2048))
        wait_until(lambda: opened(process, "socket:") > sockets + SPARE)
        wait_until(lambda: figure(client, "polyadic_questions_in_progress") == 0)
        assert client.post(f"{PATH}/query", json={"question": QUESTION}).status_code == 200
        wait_until(lambda: is_quiet(client))
        wait_until(lambda: opened(process, "socket:") <= sockets + SPARE)
    assert not list((long_document.folder / ".server" / "exports").iterdir())


def is_quiet(client: httpx2.Client) -> bool:
    """Whether nothing is under way, and no request holds a workspace."""
    names = ("polyadic_questions_in_progress", "polyadic_questions_waiting", "polyadic_workspace_uses")
    return all(figure(client, name) == 0 for name in names)
