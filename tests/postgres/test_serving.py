"""The server over a database: what it promises over folders, and that several servers are as one."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from polyadic.cli.main import run
from polyadic.errors import SettingsError
from polyadic.server.server import service_for
from polyadic.server.server_limits import ServerLimits
from polyadic.server.tenants.postgres import PostgresTenants
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from tests.server.running_server import ADA, BABBAGE, QUESTION, events, finished, make, running_over, wait_until
from tests.support import postgres

Clients = tuple[httpx2.Client, httpx2.Client]


@pytest.fixture(scope="module", autouse=True)
def _without_weights() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")
        yield


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings")


@pytest.fixture(scope="module")
def address() -> str:
    return postgres.own_database()


@pytest.fixture(scope="module")
def clients(settings: Path, address: str) -> Iterator[Clients]:
    """Of two servers over one database, of which the second runs no jobs."""
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(running_over(PostgresTenants(address, settings), settings, limits=limits))
            for limits in (ServerLimits(), ServerLimits(jobs_at_once=0))
        ]
        first, second = (stack.enter_context(server.client()) for server in servers)
        yield first, second


def fresh(clients: Clients, *texts: str) -> str:
    name = postgres.fresh()
    make(clients[0], name, *texts)
    return name


def test_facts_indexed_by_one_server_are_served_by_another(clients: Clients) -> None:
    name = fresh(clients, ADA, BABBAGE)
    path = f"/v1/workspaces/{name}"
    exports = set()
    for client in clients:
        assert name in client.get("/v1/workspaces").json()["workspaces"]
        answer = client.post(f"{path}/query", json={"question": QUESTION, "by": "quotes"}).json()
        assert answer["answered"] and answer["citations"]
        assert client.get(path).json()["counts"]["documents"] == 2
        assert [one["what"] for one in client.get(f"{path}/check").json()["findings"] if one["state"] == "bad"] == []
        exports.add(client.get(f"{path}/export").content)
    assert len(exports) == 1
    assert clients[1].post("/v1/workspaces", json={"name": name}).status_code == 409


def test_job_submitted_to_one_server_is_run_by_another(clients: Clients, address: str) -> None:
    path = f"/v1/workspaces/{fresh(clients)}/jobs"
    files = {"files": ("ada.txt", ADA.encode())}
    job = clients[1].post(path.replace("jobs", "documents/files"), files=files).json()["id"]
    with clients[1].stream("GET", f"{path}/{job}/events") as reply:
        states = [one["state"] for name, one in events(reply.read().decode()) if name == "job"]
    assert states[-1] == "succeeded"
    for client in clients:
        assert client.get(f"{path}/{job}").json()["report"]["added"] == 1
        assert [one["id"] for one in client.get(path).json()["jobs"]] == [job]
    assert 'polyadic_jobs{state="succeeded"}' in clients[1].get("/metrics").text
    # What has been read is kept nowhere else, a moment after its end is known.
    wait_until(lambda: uploaded_parts(address, job) == 0)


def uploaded_parts(address: str, job: str) -> int:
    with psycopg.connect(address) as raw:
        counted = raw.execute("SELECT count(*) FROM polyadic_server.upload WHERE job = %s", (job,)).fetchall()
    return int(counted[0][0])


def test_failed_upload_is_kept_until_resumed_or_deleted(clients: Clients, address: str) -> None:
    name = fresh(clients)
    path = f"/v1/workspaces/{name}"
    large = b"%PDF " + bytes(range(256)) * 10_000
    job = clients[1].post(f"{path}/documents/files", files={"files": ("large.pdf", large)}).json()["id"]
    assert finished(clients[1], name, job)["state"] == "partly"
    assert uploaded_parts(address, job) == 4
    assert clients[1].post(f"{path}/jobs/{job}/resume").status_code == 202
    assert finished(clients[0], name, job)["attempts"] == 1
    assert clients[0].delete(path).status_code == 204
    assert uploaded_parts(address, job) == 0


def test_a_queued_job_is_cancelled_by_any_server(settings: Path) -> None:
    address = postgres.own_database()
    with contextlib.ExitStack() as stack:
        idle = ServerLimits(jobs_at_once=0, closing_seconds=1.0)
        one, other = (
            stack.enter_context(running_over(PostgresTenants(address, settings), settings, limits=idle))
            for _ in range(2)
        )
        first, second = stack.enter_context(one.client()), stack.enter_context(other.client())
        make(first, "letters")
        path = "/v1/workspaces/letters"
        job = first.post(f"{path}/documents/texts", json={"texts": [{"text": ADA}]}).json()
        assert job["state"] == "queued"
        assert second.post(f"{path}/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
        assert first.get(f"{path}/jobs/{job['id']}").json()["problem"] == "it was cancelled"


def test_recreated_workspace_is_empty(clients: Clients) -> None:
    name = fresh(clients, ADA)
    path = f"/v1/workspaces/{name}"
    assert clients[1].get(path).json()["counts"]["documents"] == 1
    assert clients[0].delete(path).status_code == 204
    for client in clients:
        assert client.get(path).status_code == 404
        assert name not in client.get("/v1/workspaces").json()["workspaces"]
    make(clients[0], name)
    assert clients[1].get(path).json()["counts"]["documents"] == 0
    assert clients[1].get(f"{path}/jobs").json()["jobs"] == []


def test_document_of_a_running_job_cannot_be_deleted(clients: Clients, address: str) -> None:
    name = fresh(clients, ADA, BABBAGE)
    path = f"/v1/workspaces/{name}/documents"
    read, other = (one["id"] for one in clients[0].get(path).json()["documents"])
    store = PostgresStore(PostgresDsn(address, name), None)
    try:
        with store.indexing_session() as claims:
            claims.acquire([read])
            assert clients[1].delete(f"{path}/{read}").status_code == 409
            assert clients[1].delete(f"{path}/{other}").status_code == 204
        assert clients[1].delete(f"{path}/{read}").status_code == 204
    finally:
        store.close()


def test_workspace_settings_override_the_folder_settings(clients: Clients, settings: Path) -> None:
    name = fresh(clients, ADA)
    path = f"/v1/workspaces/{name}/settings"
    file = settings / "polyadic.toml"
    try:
        file.write_text('[retrieval]\nmethod = "walk"\n')
        assert [client.get(path).json()["method"] for client in clients] == ["walk", "walk"]
        (settings / name).mkdir()
        (settings / name / "polyadic.toml").write_text('[retrieval]\nmethod = "chunks"\n')
        assert [client.get(path).json()["method"] for client in clients] == ["chunks", "chunks"]
        file.write_text("[retrieval\n")
        assert clients[0].post("/v1/workspaces", json={"name": postgres.fresh()}).status_code == 409
    finally:
        file.unlink()


def test_queued_jobs_are_limited_across_servers(settings: Path) -> None:
    address = postgres.own_database()
    limits = ServerLimits(jobs_at_once=0, jobs_waiting=2)
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(running_over(PostgresTenants(address, settings), settings, limits=limits))
            for _ in range(2)
        ]
        clients = [stack.enter_context(server.client()) for server in servers]
        make(clients[0], "letters")
        texts = {"texts": [{"text": ADA}]}
        replies = [one.post("/v1/workspaces/letters/documents/texts", json=texts).status_code for one in clients * 2]
        assert replies == [202, 202, 503, 503]


def test_startup_errors_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="serves all workspaces"):
        service_for(f"{postgres.server()}#letters", "127.0.0.1", None, ServerLimits())
    assert run(["serve", "postgresql://ada:secret@127.0.0.1:1/kb", "--settings", str(tmp_path)]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "127.0.0.1:1/kb cannot be used" in line and "secret" not in line
    assert run(["serve", str(tmp_path), "--settings", str(tmp_path)]) == 2


def test_database_of_a_newer_version_is_refused(settings: Path) -> None:
    address = postgres.own_database()
    PostgresTenants(address, settings).close()
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("UPDATE polyadic_server.version SET number = 99")
    with pytest.raises(Exception, match="newer version of Polyadic"):
        PostgresTenants(address, settings)


def test_a_server_that_stops_leaves_no_connection(settings: Path) -> None:
    address = postgres.own_database()
    with running_over(PostgresTenants(address, settings), settings) as server, server.client() as client:
        make(client, "letters", ADA)
    named = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(address, autocommit=True) as raw:
        wait_until(lambda: raw.execute(named).fetchall()[0][0] == 0, 10)
