"""Folders that several servers watch: one of them indexes, and another one goes on when it ends."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polyadic.server.server_state import ServerState
from polyadic.server.tenants.postgres import PostgresTenants
from polyadic.server.watched_folders import watched_folders
from tests.server.running_server import ADA, BABBAGE, Running, serving, wait_until
from tests.support import postgres

pytestmark = pytest.mark.slow

PATH = "/v1/workspaces/letters"
Watching = tuple[list[Running], list[httpx2.Client], Path]


@pytest.fixture
def watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watching]:
    """Two servers over a database that watch the same folder, their clients, and the folder with one document."""
    monkeypatch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")
    post = tmp_path / "post"
    post.mkdir()
    (post / "ada.md").write_text(ADA)
    address = postgres.own_database()
    with ExitStack() as stack:
        servers = []
        for _ in range(2):
            watched = watched_folders([f"letters={post}"])
            service = ServerState(PostgresTenants(address, tmp_path), None, watched=watched)
            servers.append(stack.enter_context(serving(service, tmp_path)))
        yield servers, [stack.enter_context(server.client()) for server in servers], post


def folder(client: httpx2.Client) -> dict[str, Any]:
    shown: dict[str, Any] = client.get(f"{PATH}/watched-folders").json()["folders"][0]
    return shown


def has_read(client: httpx2.Client, documents: int) -> bool:
    shown = folder(client)
    # There is no job until the folder has been looked through.
    return bool(shown["job"]) and (shown["documents"], shown["job"]["state"]) == (documents, "succeeded")


def test_one_server_indexes_and_another_one_goes_on(watching: Watching) -> None:
    servers, clients, post = watching
    for client in clients:
        wait_until(lambda client=client: has_read(client, 1))
    seen = {folder(client)["job"]["id"] for client in clients}
    assert len(seen) == 1
    # A second job would have replaced this one.
    (post / "babbage.md").write_text(BABBAGE)
    wait_until(lambda: has_read(clients[0], 2))
    job = folder(clients[0])["job"]
    assert job["report"]["added"] == 1 and job["report"]["unchanged"] == 0
    assert [one["id"] for one in clients[1].get(f"{PATH}/jobs").json()["jobs"]] == [job["id"]]
    leader = next(server for server in servers if server.service.watching.followers[0].is_watching)
    [other] = [client for server, client in zip(servers, clients, strict=True) if server is not leader]
    leader.stop()
    (post / "ada.md").unlink()
    wait_until(lambda: has_read(other, 1))
