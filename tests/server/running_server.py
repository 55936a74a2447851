"""A server on a thread of its own, and what tests say to it."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from polyadic.model.types import Document
from polyadic.server.api_keys import KeyRing, keys_file
from polyadic.server.server import PolyadicServer
from polyadic.server.server_limits import ServerLimits
from polyadic.server.server_state import ServerState
from polyadic.server.tenants.folders import FolderTenants
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.workspace import Workspace
from tests.support.forked_jobs import fork_jobs

ADA = "Ada Lovelace wrote the first published program in 1843 for the Analytical Engine of Charles Babbage."
BABBAGE = "Charles Babbage designed the Analytical Engine in London and met Ada Lovelace in 1833."
QUESTION = "Who wrote the first published program?"
_SECONDS = 240.0


@dataclass
class Running:
    """A server that runs; over a folder of workspaces this is that, else one of settings."""

    folder: Path
    service: ServerState
    url: str
    server: PolyadicServer

    def stop(self) -> None:
        """As a signal would."""
        self.server.should_exit = True

    def client(self, key: str = "", **more: Any) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # Plain HTTP; reading the system's certificates for each client would take most of the time.
        return httpx2.Client(base_url=self.url, headers=headers, timeout=_SECONDS, verify=False, **more)

    def fill(self, name: str, *texts: str | Document) -> list[str]:
        """Index texts into a workspace without a job, whose process takes a second to start; return identifiers."""
        documents = [
            Document(f"memory:{number}", "", text) if isinstance(text, str) else text
            for number, text in enumerate(texts)
        ]
        location = self.service.tenants.location(name)
        with Workspace(location.place, folder=location.folder) as kb:
            kb.add(documents)
        return [document.id for document in documents]


@contextmanager
def running(
    folder: Path, keyed: bool = False, limits: ServerLimits | None = None, allowed_origins: Sequence[str] = ()
) -> Iterator[Running]:
    """Serves a folder as long as the context lasts; with the keys that it has, if it is to ask for them."""
    folder.mkdir(exist_ok=True)
    with running_over(FolderTenants(folder), folder, keyed, limits, allowed_origins) as server:
        yield server


@contextmanager
def running_over(
    tenants: TenantBackend,
    folder: Path,
    keyed: bool = False,
    limits: ServerLimits | None = None,
    allowed_origins: Sequence[str] = (),
) -> Iterator[Running]:
    """As :func:`running`, over any tenants; keys are those of the folder."""
    service = ServerState(tenants, KeyRing(keys_file(folder)) if keyed else None, limits, allowed_origins)
    with serving(service, folder) as server:
        yield server


@contextmanager
def serving(service: ServerState, folder: Path) -> Iterator[Running]:
    """As :func:`running`, any service."""
    fork_jobs()
    server = PolyadicServer(service, "127.0.0.1", 0)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive())
        assert server.started
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Running(folder, service, f"http://127.0.0.1:{port}", server)
    finally:
        server.should_exit = True
        thread.join(_SECONDS)
        assert not thread.is_alive()


def wait_until(holds: Any, seconds: float = _SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.03)


def add_key(folder: Path, access: Any, *workspaces: str) -> str:
    """A key that opens these workspaces."""
    folder.mkdir(exist_ok=True)
    return KeyRing(keys_file(folder)).add("of a test", access, workspaces)[1]


def make(client: httpx2.Client, name: str, *texts: str) -> list[str]:
    """Make a workspace that holds these texts; returns the identifiers of its documents."""
    reply = client.post("/v1/workspaces", json={"name": name})
    assert reply.status_code == 201, reply.text
    if not texts:
        return []
    given = [{"text": text, "source": f"memory:{number}"} for number, text in enumerate(texts)]
    reply = client.post(f"/v1/workspaces/{name}/documents/texts", json={"texts": given})
    assert reply.status_code == 202, reply.text
    assert finished(client, name, reply.json()["id"])["state"] == "succeeded"
    documents = client.get(f"/v1/workspaces/{name}/documents").json()["documents"]
    return [document["id"] for document in documents]


def finished(client: httpx2.Client, workspace: str, job: str) -> dict[str, Any]:
    """A job, once it has ended."""
    status: dict[str, Any] = {}

    def is_over() -> bool:
        status.update(client.get(f"/v1/workspaces/{workspace}/jobs/{job}").json())
        return status["state"] not in ("queued", "running")

    wait_until(is_over)
    return status


def events(text: str) -> list[tuple[str, Any]]:
    """Server-sent events: names and contents; comments are left out."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines.get("event", ""), json.loads(lines["data"]) if lines["data"] != "[DONE]" else None))
    return found
