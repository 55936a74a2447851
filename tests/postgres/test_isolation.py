"""Workspaces share tables, and none shows in another."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import psycopg
import pytest

from polyadic.errors import StoreError
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.schema import ROLE, SCHEMA
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.postgres.workspaces import PostgresLocation
from polyadic.storage.protocol import Fingerprint
from tests.support import postgres
from tests.support.canonical import canonical
from tests.support.store_driver import document, publish
from tests.support.stores import rows_of, stores

ADA = ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"])
TURIN = ("Luigi Menabrea heard Charles Babbage in Turin.", ["Luigi Menabrea", "Charles Babbage", "Turin"])


@pytest.fixture
def raw() -> Iterator[psycopg.Connection]:
    """A connection that acts as workspaces do, to a database in which there are some."""
    PostgresStore(postgres.address(postgres.fresh()), "test vectors").close()
    with psycopg.connect(postgres.server(), autocommit=True) as connection:
        connection.execute(f"SET search_path = {SCHEMA}, public")
        connection.execute(f"SET ROLE {ROLE}")
        yield connection


def test_workspaces_do_not_see_each_other(raw: psycopg.Connection) -> None:
    with stores("postgres") as open_store:
        one, other = open_store("one"), open_store("other")
        publish(one, "a", [ADA], title="Ada Lovelace")
        before = canonical(one)
        publish(other, "a", [TURIN], title="Ada Lovelace")
        assert canonical(one) == before
        rows = repr(
            [
                *rows_of(
                    one,
                    ("document", "fact", "entity", "attribute_value", "entity_alias", "text_segment", "search_vector"),
                )
            ]
        )
        assert "Lovelace" in rows and "Turin" not in rows
        with one.read() as reader:
            assert len(reader.search("Lovelace", 9).rows) == 1 and not len(reader.search("Turin", 9).rows)
            assert reader.chunks_with_words(["London", "Turin"], 9).sources.tolist() == [0]


def test_full_text_table_is_reached_by_functions_only(raw: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute("SELECT * FROM passage_fts")
    with pytest.raises(psycopg.Error, match=r"polyadic\.workspace"):
        raw.execute("SELECT * FROM passages_with('ada', 1)")


@pytest.mark.parametrize("word", ["it's", "C:\\docs\\a.txt", "o''neil", "a\\'b", "x" * 1_999])
def test_any_word_can_be_searched(word: str) -> None:
    with stores("postgres") as open_store:
        store = open_store("one")
        publish(store, "a", [(f"Ada left {word} there.", ["Ada"])])
        publish(store, "b", [("Nothing else.", ["Ada"])])
        with store.read() as reader:
            assert len(reader.search(word, 9).rows) == 1
            assert reader.chunks_with_words([word], 9).targets.tolist() == reader.search(word, 9).rows.tolist()


@pytest.mark.parametrize("word", ["x" * 3_000, "'", "\\", "&|!"])
def test_unsearchable_text_does_not_fail_indexing(word: str) -> None:
    with stores("postgres") as open_store:
        store = open_store("one")
        publish(store, "a", [(f"Ada wrote {word} down.", ["Ada"])], title=f"On {word[:9]}")
        with store.read() as reader:
            assert len(reader.search(f"wrote {word}", 9).rows) == 1 and not len(reader.search(word, 9).rows)
            assert reader.chunks_with_words(["wrote", word], 9).sources.tolist() == [0]


@pytest.mark.parametrize("statement", ["SELECT * FROM fact", "DELETE FROM fact", "UPDATE fact SET score = 0"])
def test_access_without_a_workspace_is_refused(raw: psycopg.Connection, statement: str) -> None:
    with stores("postgres") as open_store:
        publish(open_store("kb"), "a", [ADA])
        with pytest.raises(psycopg.Error, match=r"polyadic\.workspace"):
            raw.execute(statement.encode())


def test_writes_to_another_workspace_are_refused(raw: psycopg.Connection) -> None:
    with stores("postgres") as open_store:
        publish(open_store("kb"), "a", [ADA])
        raw.execute("SELECT set_config('polyadic.workspace', '-1', false)")
        assert raw.execute("SELECT count(*) FROM fact").fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("INSERT INTO meta (key, value, workspace) VALUES ('embedder', 'mine', 1)")


def test_dropped_workspace_leaves_no_rows(raw: psycopg.Connection) -> None:
    address = postgres.address(postgres.fresh())
    store = PostgresStore(address, "test vectors")
    publish(store, "a", [ADA], title="Ada Lovelace")
    number = store.number
    store.drop()
    store.close()
    assert not PostgresLocation(address.database, address.name).exists()
    raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(number),))
    with psycopg.connect(postgres.server()) as owner:
        kept = owner.execute(f"SELECT count(*) FROM {SCHEMA}.passage_fts WHERE workspace_id = %s", (number,))
        assert kept.fetchone() == (0,)
    for table in (
        "meta",
        "document",
        "text_segment",
        "fact",
        "entity",
        "attribute_value",
        "vector",
        "search_vector",
        "row_count",
        "change_log",
    ):
        assert raw.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,), table


def test_workspace_dropped_during_staging_leaves_no_rows(raw: psycopg.Connection) -> None:
    address, (source, chunks, _) = postgres.address(postgres.fresh()), document("a", [ADA])
    store, dropped = PostgresStore(address, "test vectors"), PostgresStore(address, "test vectors")
    with ThreadPoolExecutor() as beside, store.indexing_session() as claims, store.prepare() as preparer:
        claims.acquire([source.id])
        dropping = beside.submit(dropped.drop)
        assert not wait([dropping], timeout=0.5).done
        preparer.stage([(source, Fingerprint(source.content, "recipe", "by hand"), chunks)])
    dropping.result()
    raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(store.number),))
    for table in ("document", "revision", "text_segment", "chunk", "staged_revision"):
        assert raw.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,), table
    store.close()
    dropped.close()


def test_a_new_workspace_adds_no_tables(raw: psycopg.Connection) -> None:
    relations = "SELECT count(*) FROM pg_class WHERE NOT relispartition"
    (before,) = raw.execute(relations).fetchone() or (0,)
    store = PostgresStore(postgres.address(postgres.fresh()), "test vectors")
    publish(store, "a", [ADA])
    assert raw.execute(relations).fetchone() == (before,)
    store.drop()
    store.close()


@pytest.mark.parametrize(
    "database",
    [
        "postgresql://ada:secret@[::1/kb",
        "postgresql://ada:sec@ret:secret@localhost/kb",
        "postgresql://ada:secret@localhost:port/kb",
        "postgresql://localhost/kb?password=secret&nothing=known",
        "postgresql://ada:secret@localhost/kb?sslmode",
    ],
)
def test_invalid_address_is_reported_in_one_line_without_the_password(database: str) -> None:
    with pytest.raises(StoreError) as raised:
        PostgresStore(PostgresDsn.of(f"{database}#kb"), "test vectors")
    assert "secret" not in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("postgresql://localhost:1/kb", "check that the server is running"),
        ("postgresql://nobody-of-this-name.invalid/kb", "check the host in the address or PGHOST"),
        ("", "create the database first"),
    ],
)
def test_unreachable_server_is_reported_without_the_password(database: str, said: str) -> None:
    where = database or postgres.server().replace("/postgres?", "/not_there?").replace("postgres:@", "")
    address = PostgresDsn.of(where.replace("://", "://postgres:secret@", 1) + "#kb")
    with pytest.raises(StoreError) as raised:
        PostgresStore(address, "test vectors")
    message = str(raised.value)
    assert said in message and "secret" not in message and "\n" not in message
