"""A database gets the tables of this version, from nothing or from those of an earlier one, and keeps what it holds."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import psycopg
import pytest

from polyadic.errors import StoreError
from polyadic.storage.postgres import migrations
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.schema import MIGRATIONS, VERSION
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Store
from tests.postgres.filled import NAME, fill
from tests.support.canonical import canonical
from tests.support.databases import database, of_version_1
from tests.support.store_driver import publish
from tests.support.vectors import vectors

OPENING = """
import sys, time
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
print("ready", flush=True)
sys.stdin.readline()
PostgresStore(PostgresDsn(sys.argv[1], sys.argv[2]), "test vectors").close()
"""
NEW = ("Mary Somerville taught Ada Lovelace in Chelsea.", ["Mary Somerville", "Ada Lovelace", "Chelsea"])


def opened(database: str, name: str = NAME) -> PostgresStore:
    return PostgresStore(PostgresDsn(database, name), "test vectors")


def version(database: str) -> int:
    with psycopg.connect(database) as connection:
        ((number,),) = connection.execute("SELECT number FROM polyadic.version").fetchall()
        return int(number)


def told(store: Store) -> list[object]:
    """All that a store holds, and what is found by it."""
    assert store.problems() == []
    with store.read() as reader:
        near = [reader.nearest(side, vectors(["Ada"])[0], 9).scores.tolist() for side in ("entity", "fact", "chunk")]
        (record,) = [record for record in reader.documents() if record.title == "Ada"]
        return [
            canonical(store),
            reader.hierarchy(),
            reader.reply("aa" * 16),
            reader.spent(),
            [decision for decision, _ in reader.decisions()],
            near,
            reader.listed("/docs/ada.txt", 9),
            reader.document(record.id),
            sorted(reader.named(["ada lovelace", "mercury", "sun"])),
        ]


def test_version_1_database_is_migrated_with_its_contents() -> None:
    with of_version_1() as old, database() as new:
        assert version(old) == 1
        with contextlib.closing(opened(old)) as brought, contextlib.closing(opened(new)) as made:
            assert version(old) == VERSION
            fill(made)
            assert told(brought) == told(made)
            for store in (brought, made):
                publish(store, "new", [NEW], title="Mary Somerville")
                publish(store, "ada", [NEW])
            assert told_without_ada(brought) == told_without_ada(made)
            with brought.reembedding_session("another model") as gathering:
                assert gathering.count() == 1


def told_without_ada(store: Store) -> str:
    assert store.problems() == []
    return canonical(store)


def test_migration_is_atomic(monkeypatch: pytest.MonkeyPatch) -> None:
    with of_version_1() as old:
        with monkeypatch.context() as broken:
            broken.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE new (a bigint); SELECT 1 / 0"))
            broken.setattr(migrations, "VERSION", VERSION + 1)
            with pytest.raises(StoreError, match="division by zero"):
                opened(old)
        assert version(old) == 1
        with contextlib.closing(opened(old)) as store:
            assert store.problems() == [] and version(old) == VERSION


@pytest.mark.parametrize("start", [database, of_version_1])
def test_concurrent_first_connections_create_the_tables_once(
    start: Callable[[], AbstractContextManager[str]],
) -> None:
    with start() as address:
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


def test_newer_version_is_refused() -> None:
    with database() as address:
        opened(address).close()
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("UPDATE polyadic.version SET number = number + 1")
        with pytest.raises(StoreError, match=f"newer Polyadic .version {VERSION + 1}.*upgrade Polyadic") as raised:
            opened(address)
        assert "\n" not in str(raised.value)


def test_readers_of_the_earlier_version_continue() -> None:
    """What is being read is read to its end before the tables are changed; statements of then find what they did."""
    statements = (
        "SELECT key, name, facts FROM entity WHERE key IN ('ada lovelace', 'charles babbage') ORDER BY key",
        "SELECT entity, value, occurrences FROM attribute_value WHERE vector IS NOT NULL ORDER BY entity,"
        " value LIMIT 5",
        "SELECT id FROM document WHERE current IS NOT NULL AND source > '' ORDER BY source LIMIT 5",
        "SELECT alias, entity FROM entity_alias WHERE alias IN ('ada lovelace') ORDER BY 1, 2",
    )
    with of_version_1() as old, psycopg.connect(old, autocommit=True) as reading:
        reading.execute("SET search_path = polyadic, public")
        reading.execute("SET ROLE polyadic_workspaces")
        reading.execute("SELECT set_config('polyadic.workspace', '1', false)")
        reading.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        before = [reading.execute(sql).fetchall() for sql in statements]
        coming = threading.Thread(target=lambda: opened(old).close())
        coming.start()
        time.sleep(0.3)
        assert [reading.execute(sql).fetchall() for sql in statements] == before
        reading.execute("COMMIT")
        coming.join()
        assert version(old) == VERSION
        assert all(before) and [reading.execute(sql).fetchall() for sql in statements] == before


def test_waiting_for_readers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "_LONGEST_WAIT", 0.2)
    with of_version_1() as old:
        with psycopg.connect(old) as reading:
            reading.execute("SELECT count(*) FROM polyadic.entity")
            with pytest.raises(StoreError, match="lock_timeout"):
                opened(old)
        opened(old).close()
        assert version(old) == VERSION


def test_lookups_by_long_texts_use_an_index() -> None:
    """Row-level security keeps many conditions from an index.

    In a database of its own, of which the server knows nothing yet but that there is much: of a few rows it might
    prefer any other index.
    """
    with database() as address, contextlib.closing(opened(address)) as store:
        publish(store, "new", [NEW], title="Mary Somerville")
        with store._pool.connection() as raw, store._transaction(raw) as connection:
            for filled in (
                "entity (id, digest, key, name, type, description, evidence, score, facts, chunks)"
                " SELECT n, int8send(n), 'k' || n, '', '', '', 0, 0, 0, 0",
                "attribute_value (entity, attribute, value, occurrences) SELECT n, 'form', 'v' || n, 1",
                "entity_alias (alias, entity) SELECT 'l' || n, n",
                "revision (document, content, pipeline_config, extractor, title, title_key, title_bare,"
                " characters, metadata,"
                " pages) SELECT n, '', '', '', '', 't' || n, 't' || n, 0, '', ''",
            ):
                connection.execute(f"INSERT INTO {filled} FROM generate_series(100, 20000) n")
        lookups = {
            "key_digest": "SELECT key, id FROM entity WHERE key IN (?)",
            "value_digest": "SELECT vector FROM attribute_value WHERE entity = 1 AND attribute = 'form' AND value = ?",
            "alias_digest": "SELECT alias, entity FROM entity_alias WHERE alias IN (?)",
            "title_key_digest": "SELECT r.id FROM revision r WHERE r.title_key IN (?)",
            "source_prefix": "SELECT id FROM document WHERE current IS NOT NULL AND source_prefix >= left(?, 500)",
        }
        for column, sql in lookups.items():
            with store.read() as reader:
                connection = reader._connection  # type: ignore[attr-defined]
                connection.execute("SET LOCAL enable_seqscan = off")
                rows = connection.execute(f"EXPLAIN {sql}", ("x",) * sql.count("?")).fetchall()
                plan = "\n".join(line for (line,) in rows)
            assert f"({column} " in plan.partition("Index Cond")[2], plan
