"""A server whose database is away says so at once, and answers again as soon as it is back."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx2
import psycopg
import pytest

from polyadic.server.tenants.postgres import PostgresTenants
from tests.model_server import ModelServer, ready
from tests.server.running_server import ADA, QUESTION, finished, make, running_over, wait_until
from tests.support import postgres
from tests.support.own_server import OwnServer, own_folder, own_server
from tests.support.proxy import proxy
from tests.support.with_a_model import story

AT_ONCE = 5.0
BACK_WITHIN = 10.0
"""Seconds, of which a busy machine takes some: a server that does not watch its database would wait for 30."""
ASK = {"question": QUESTION, "by": "quotes"}


@pytest.fixture
def database() -> Iterator[OwnServer]:
    with own_folder() as folder, own_server(folder) as running:
        yield running


@pytest.fixture(autouse=True)
def _without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYADIC_EMBEDDING__MODEL", "hashing")


def timed(client: httpx2.Client) -> tuple[int, float]:
    """The status of a question's answer, and the seconds that it took."""
    begun = time.monotonic()
    status = client.post("/v1/workspaces/letters/query", json=ASK).status_code
    return status, time.monotonic() - begun


def figure(client: httpx2.Client, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert found, name
    return float(found[1])


@pytest.mark.slow
def test_questions_fail_at_once_while_the_database_is_away_and_work_when_it_is_back(
    database: OwnServer, tmp_path: Path
) -> None:
    with running_over(PostgresTenants(database.database, tmp_path), tmp_path) as server, server.client() as client:
        make(client, "letters", ADA)
        assert timed(client)[0] == 200 and client.get("/ready").status_code == 200
        assert figure(client, "polyadic_database_up") == 1
        for _ in range(2):
            database.stop_at_once()
            for _ in range(3):
                status, seconds = timed(client)
                assert status == 503 and seconds < AT_ONCE
            wait_until(lambda: client.get("/ready").status_code == 503, 10)
            assert client.get("/health").status_code == 200
            assert figure(client, "polyadic_database_up") == 0
            assert figure(client, 'polyadic_jobs{state="running"}') != figure(client, 'polyadic_jobs{state="running"}')
            # As long as a retry with pauses that grow would take to look again.
            time.sleep(4)
            assert timed(client)[1] < AT_ONCE
            database.start()
            begun = time.monotonic()
            wait_until(lambda: timed(client)[0] == 200, BACK_WITHIN)
            wait_until(lambda: client.get("/ready").status_code == 200, BACK_WITHIN - (time.monotonic() - begun))


@pytest.mark.slow
def test_a_database_that_only_keeps_silent_is_not_ready(tmp_path: Path) -> None:
    own = postgres.own_database()
    with proxy(own) as between:
        address = urlunsplit(urlsplit(between.database)._replace(path=urlsplit(own).path))
        with running_over(PostgresTenants(address, tmp_path), tmp_path) as server, server.client() as client:
            assert client.get("/ready").status_code == 200
            between.stall()
            wait_until(lambda: client.get("/ready").status_code == 503, 10)
            status, seconds = timed(client)
            assert status == 503 and seconds < AT_ONCE
            between.flow()
            wait_until(lambda: client.get("/ready").status_code == 200, 10)


def test_connections_have_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> %s"
    for name in ("polyadic", "kb-7"):
        if name != "polyadic":
            monkeypatch.setenv("PGAPPNAME", name)
        address = postgres.own_database()
        with running_over(PostgresTenants(address, tmp_path), tmp_path) as server, server.client() as client:
            make(client, "letters", ADA)
            with psycopg.connect(address) as raw:
                assert raw.execute(names, (raw.info.backend_pid,)).fetchall() == [(name,)]
            assert figure(client, 'polyadic_database_connections{state="idle"}') >= 1
            assert figure(client, "polyadic_database_connections_limit") == 16
            assert figure(client, "polyadic_database_connections_opened_total") >= 1


def test_what_indexing_costs_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([*ready()]) as model:
        for name, value in {
            "NAME": "recorded", "BASE_URL": model.url, "KEY_VARIABLE": "", "RETRIES": "0",
            "PROMPT_PRICE": "1000", "COMPLETION_PRICE": "2000",
        }.items():  # fmt: skip
            monkeypatch.setenv(f"POLYADIC_MODEL__{name}", value)
        address = postgres.own_database()
        with running_over(PostgresTenants(address, tmp_path), tmp_path) as server, server.client() as client:
            assert figure(client, "polyadic_indexing_money_total") == 0
            make(client, "letters")
            texts = {"texts": [{"text": story(1, 4), "source": "memory:1"}]}
            job = client.post("/v1/workspaces/letters/documents/texts", json=texts).json()["id"]
            usage = finished(client, "letters", job)["report"]["usage"]
            assert usage["money"] > 0
            assert figure(client, "polyadic_indexing_money_total") == pytest.approx(usage["money"])
            tokens = usage["prompt_tokens"] + usage["completion_tokens"]
            assert figure(client, "polyadic_indexing_tokens_total") == tokens
