"""The server stopped at once in the middle of indexing and of questions: what was going on goes on when it is back."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from polyadic.errors import StoreError
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from polyadic.workspace import Workspace
from tests.concurrent_processes.letters import SETTINGS
from tests.crashes.commands import COMMAND, ended, started
from tests.server.running_server import wait_until
from tests.support import postgres
from tests.support.canonical import canonical
from tests.support.own_server import OwnServer, own_folder, own_server
from tests.support.with_a_model import write_letters

pytestmark = pytest.mark.slow

LETTERS, SENTENCES = 40, 8
IMPATIENT = (COMMAND[0], "-m", "tests.crashes.impatient", "3")
AWAY = 1.0
"""Seconds until the server is started again."""


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_folder() as folder, own_server(folder) as running:
        yield running


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letters(tmp_path_factory.mktemp("letters"), LETTERS, SENTENCES)


@pytest.fixture(scope="module")
def undisturbed(letters: Path, server: OwnServer) -> str:
    """Return the result of a run while the server stays."""
    place = f"{server.database}#{postgres.fresh()}"
    assert ended(started(COMMAND, "-w", place, "index", str(letters))) == (0, "")
    return contents_of(place)


def contents_of(place: str) -> str:
    """All that a workspace knows, once it has been found sound."""
    store = PostgresStore(PostgresDsn.of(place), "hashing-384")
    try:
        assert store.problems() == []
        return canonical(store)
    finally:
        store.close()


def away(server: OwnServer, seconds: float) -> None:
    server.stop_at_once()
    time.sleep(seconds)
    server.start()


def wait_until_begun(server: OwnServer, place: str) -> None:
    """Until the first documents of a workspace have been staged."""
    sql = "SELECT count(*) FROM polyadic.document d JOIN polyadic.workspace w ON w.id = d.workspace WHERE w.name = %s"
    name, deadline = place.rpartition("#")[2], time.monotonic() + 60
    with psycopg.connect(server.database, autocommit=True) as connection:
        while connection.execute(sql, (name,)).fetchone() == (0,):
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.mark.parametrize("later", [0.0, 0.9])
def test_run_resumes_when_the_database_is_back(
    letters: Path, server: OwnServer, undisturbed: str, later: float
) -> None:
    place = f"{server.database}#{postgres.fresh()}"
    run = started(COMMAND, "-w", place, "index", str(letters))
    wait_until_begun(server, place)
    time.sleep(later)
    away(server, AWAY)
    assert ended(run) == (0, "")
    assert contents_of(place) == undisturbed


def test_run_fails_in_one_line_without_the_database_and_the_next_resumes(
    letters: Path, server: OwnServer, undisturbed: str
) -> None:
    for _ in range(4):
        place = f"{server.database}#{postgres.fresh()}"
        run = started(IMPATIENT, "-w", place, "index", str(letters))
        wait_until_begun(server, place)
        server.stop_at_once()
        try:
            outcomes = [ended(run), ended(started(COMMAND, "-w", place, "status"))]
        finally:
            server.start()
        # On a busy machine a run may be over before the server has stopped.
        if outcomes[0][0]:
            break
    for code, said in outcomes:
        assert code == 1
        assert len(said.splitlines()) == 1 and said.startswith("polyadic: ")
        assert "postgresql://" in said and "start the server" in said
    assert ended(started(COMMAND, "-w", place, "index", str(letters))) == (0, "")
    assert contents_of(place) == undisturbed


def test_questions_are_answered_across_a_database_restart(letters: Path, server: OwnServer) -> None:
    """Several at a time, over two stops; none is answered otherwise than before."""
    place = f"{server.database}#{postgres.fresh()}"
    assert ended(started(COMMAND, "-w", place, "index", str(letters))) == (0, "")
    with Workspace(place, SETTINGS) as kb:
        ask: dict[str, Callable[[], object]] = {
            "walk": lambda: [item.places for item in kb.retrieve("Who sent letter 3001?", "walk").items],
            "hypergraph": lambda: [item.places for item in kb.retrieve("Who sent letter 3001?", "hypergraph").items],
            "query": lambda: kb.query("Who sent letter 3001?").text,
            "status": lambda: kb.status().counts,
        }
        expected = {name: one() for name, one in ask.items()}
        over, wrong = threading.Event(), list[str]()
        counted = dict.fromkeys(ask, 0)

        def keep_asking(name: str) -> None:
            while not over.is_set():
                try:
                    if ask[name]() != expected[name]:
                        wrong.append(f"{name} was answered otherwise")
                except StoreError as error:
                    wrong.append(str(error))
                counted[name] += 1

        asking = [threading.Thread(target=keep_asking, args=(name,)) for name in ask]
        for thread in asking:
            thread.start()
        try:
            for _ in range(2):
                time.sleep(1)
                away(server, AWAY)
            before = dict(counted)
            wait_until(lambda: all(counted[name] > before[name] for name in ask))
        finally:
            over.set()
            for thread in asking:
                thread.join()
    assert wrong == []
