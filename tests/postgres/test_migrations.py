"""A database gets the tables of this version, from nothing or from those of an earlier one, and keeps its contents."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from polyadic.errors import StoreError
from polyadic.storage.postgres import migrations
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.schema import VERSION
from polyadic.storage.postgres.store import PostgresStore
from tests.support.canonical import canonical
from tests.support.databases import database
from tests.support.store_driver import publish

OPENING = """
import sys, time
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
print("ready", flush=True)
sys.stdin.readline()
PostgresStore(PostgresDsn(sys.argv[1], sys.argv[2]), "test vectors").close()
"""
ADD_TABLE = """
ALTER TABLE fact ADD COLUMN remark text NOT NULL DEFAULT 'none';
CREATE TABLE remark (id bigint, workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint);
"""
NEW = ("Mary Somerville taught Ada Lovelace in Chelsea.", ["Mary Somerville", "Ada Lovelace", "Chelsea"])


def opened(database: str, name: str = "kb") -> PostgresStore:
    return PostgresStore(PostgresDsn(database, name), "test vectors")


def version(database: str) -> int:
    with psycopg.connect(database) as connection:
        ((number,),) = connection.execute("SELECT number FROM polyadic.store_version").fetchall()
        return int(number)


@pytest.fixture
def address() -> Iterator[str]:
    """A database with a workspace ``kb`` of this version."""
    with database() as made:
        with closing(opened(made)) as store:
            publish(store, "new", [NEW], title="Mary Somerville")
        yield made


@pytest.fixture
def upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a version of Polyadic that adds a column and a table."""
    monkeypatch.setattr(migrations, "MIGRATIONS", (ADD_TABLE,))
    monkeypatch.setattr(migrations, "VERSION", VERSION + 1)


def contents(database: str) -> str:
    with closing(opened(database)) as store:
        assert store.problems() == []
        return canonical(store)


def test_database_is_migrated_with_its_contents(address: str, request: pytest.FixtureRequest) -> None:
    before = contents(address)
    request.getfixturevalue("upgraded")
    assert contents(address) == before and version(address) == VERSION + 1
    with closing(opened(address)) as store:
        publish(store, "ada", [NEW])
        assert store.problems() == []
        with store._pooled_transaction() as connection:
            assert connection.execute("SELECT DISTINCT remark FROM fact").fetchall() == [("none",)]
            connection.execute("INSERT INTO remark VALUES (1)")
    with closing(opened(address, "other")) as store, store._pooled_transaction() as other:
        # The new table is protected like the others.
        assert other.execute("SELECT count(*) FROM remark").fetchall() == [(0,)]


def test_failed_migration_changes_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(address)
    with monkeypatch.context() as broken:
        broken.setattr(migrations, "MIGRATIONS", (f"{ADD_TABLE} SELECT 1 / 0",))
        broken.setattr(migrations, "VERSION", VERSION + 1)
        with pytest.raises(StoreError, match="division by zero"):
            opened(address)
    assert version(address) == VERSION and contents(address) == before


def test_concurrent_first_connections_create_the_tables_once() -> None:
    with database() as address:
        command = [sys.executable, "-c", OPENING, address]
        runs = [
            subprocess.Popen(
                [*command, f"kb-{number}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(3)
        ]
        for run in runs:
            assert run.stdout is not None and run.stdout.readline() == "ready\n"
        assert [run.communicate("\n")[1] for run in runs] == [""] * len(runs)
        assert [run.returncode for run in runs] == [0] * len(runs)
        assert version(address) == VERSION


@pytest.mark.usefixtures("upgraded")
def test_concurrent_connections_migrate_once(address: str) -> None:
    threads = [threading.Thread(target=lambda: opened(address).close()) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert version(address) == VERSION + 1


def test_newer_version_is_refused(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("UPDATE polyadic.store_version SET number = number + 1")
    with pytest.raises(StoreError, match=f"newer Polyadic .version {VERSION + 1}.*upgrade Polyadic") as raised:
        opened(address)
    assert "\n" not in str(raised.value)


def test_tables_of_before_the_first_release_are_refused() -> None:
    with database() as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA polyadic")
            connection.execute("CREATE TABLE polyadic.version AS SELECT 7::bigint AS number")
        with pytest.raises(StoreError, match=r"before the first release.*DROP SCHEMA polyadic CASCADE") as raised:
            opened(address)
        assert "\n" not in str(raised.value)


def test_migration_waits_for_current_readers(address: str, request: pytest.FixtureRequest) -> None:
    """What is being read is read to its end before the tables are changed."""
    request.getfixturevalue("upgraded")
    with psycopg.connect(address) as reading:
        before = reading.execute("SELECT count(*) FROM polyadic.fact").fetchall()
        coming = threading.Thread(target=lambda: opened(address).close())
        coming.start()
        coming.join(0.3)
        assert coming.is_alive() and reading.execute("SELECT count(*) FROM polyadic.fact").fetchall() == before
    coming.join()
    assert version(address) == VERSION + 1


def test_waiting_for_readers_is_bounded(address: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("upgraded")
    request.getfixturevalue("monkeypatch").setattr(migrations, "_LONGEST_WAIT", 0.2)
    with psycopg.connect(address) as reading:
        reading.execute("SELECT count(*) FROM polyadic.fact")
        with pytest.raises(StoreError, match="lock_timeout"):
            opened(address)
    opened(address).close()
    assert version(address) == VERSION + 1


def test_lookups_by_digest_use_an_index() -> None:
    """Row-level security keeps many conditions from an index.

    In a database of its own, of which the server knows nothing yet but that there is much: of a few rows it might
    prefer any other index.
    """
    with database() as address, closing(opened(address)) as store:
        publish(store, "new", [NEW], title="Mary Somerville")
        with store._pooled_transaction() as connection:
            for filled in (
                "entity (id, digest, key, name, type, description, evidence, score, facts, chunks)"
                " SELECT n, int8send(n), 'k' || n, '', '', '', 0, 0, 0, 0",
                "attribute_value (entity, attribute, value_digest, value, occurrences)"
                " SELECT n, 'form', int8send(n), 'v' || n, 1",
                "entity_alias (digest, entity) SELECT int8send(n), n",
                "revision (document, content, pipeline_config, extractor, title, title_entity, bare_title_entity,"
                " characters, metadata, pages, original)"
                " SELECT n, '', '', '', '', int8send(n), int8send(n), 0, '', '', ''",
            ):
                connection.execute(f"INSERT INTO {filled} FROM generate_series(100, 20000) n")
        lookups = {
            "digest = ANY": "SELECT id FROM entity WHERE digest = ANY(?)",
            "value_digest": "SELECT vector FROM attribute_value WHERE entity = 1 AND attribute = 'form'"
            " AND value_digest = ANY(?)",
            "(digest": "SELECT entity FROM entity_alias WHERE digest = ANY(?)",
            "title_entity": "SELECT r.id FROM revision r WHERE r.title_entity = ANY(?)",
            "source_prefix": "SELECT id FROM document WHERE current IS NOT NULL AND source_prefix >= left(?, 500)",
        }
        for column, sql in lookups.items():
            parameter = "x" if column == "source_prefix" else [b"x"]
            with store.read() as reader:
                connection = reader._connection  # type: ignore[attr-defined]
                connection.execute("SET LOCAL enable_seqscan = off")
                rows = connection.execute(f"EXPLAIN {sql}", (parameter,)).fetchall()
                plan = "\n".join(line for (line,) in rows)
            assert column in plan.partition("Index Cond")[2], plan
