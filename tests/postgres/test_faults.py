"""Connections that are cut, stalled and refused: what can go on goes on, and nothing is lost or doubled."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from polyadic.config import ChunkingSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import StoreError, StoreInterrupted
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.indexing.indexer import Indexer
from polyadic.indexing.report import IndexReport
from polyadic.llm.cached_model import StoreResponseCache
from polyadic.model.types import Document, Usage
from polyadic.storage.postgres import backoff, keepalive, pool
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import LedgerCall, Reader
from tests.postgres.cut_connections import Statements
from tests.support import postgres
from tests.support.canonical import canonical
from tests.support.proxy import PASSWORD, Proxy, proxy
from tests.support.store_driver import publish

ADA = ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"])
TURIN = ("Luigi Menabrea heard Charles Babbage in Turin.", ["Luigi Menabrea", "Charles Babbage", "Turin"])
DOCUMENTS = [
    Document(f"letter:{number}", "", f"Ada Lovelace wrote to Charles Babbage from Turin about engine {number}.")
    for number in range(6)
]
CALL = LedgerCall("extract", "told", Usage(1, 10, 10, 0.0), 1.0, "")
Opener = Callable[..., PostgresStore]


@pytest.fixture
def between() -> Iterator[Proxy]:
    with proxy(postgres.server()) as made:
        yield made


@pytest.fixture
def open_store(between: Proxy) -> Iterator[Opener]:
    """Opens stores of one workspace: by way of the proxy, or past it."""
    name = postgres.fresh()
    with contextlib.ExitStack() as opened:

        def opener(past: bool = False) -> PostgresStore:
            address = PostgresDsn(postgres.server() if past else between.database, name)
            return opened.enter_context(contextlib.closing(PostgresStore(address, HashingEmbedder().name)))

        yield opener


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for half a second where others wait for half a minute."""
    monkeypatch.setattr(backoff, "WAITED", 0.5)
    monkeypatch.setattr(keepalive, "SILENCE", 0.8)
    monkeypatch.setattr(keepalive, "_DEFAULTS", {**keepalive._DEFAULTS, "connect_timeout": "2"})


def indexed(store: PostgresStore) -> IndexReport:
    indexer = Indexer(store, SentenceExtractor("en"), HashingEmbedder(), ChunkingSettings())
    return asyncio.run(indexer.index(DOCUMENTS))


def undisturbed() -> str:
    with contextlib.closing(PostgresStore(postgres.address(postgres.fresh()), HashingEmbedder().name)) as store:
        indexed(store)
        return canonical(store)


def calls_in(reader: Reader) -> int:
    return sum(usage.calls for usage, _ in reader.records.spent().values())


def assert_one_line(error: StoreError) -> None:
    message = str(error)
    assert "\n" not in message and PASSWORD not in message and error.next_step and "127.0.0.1" in message


# reading


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.6, 0.8, 0.99])
def test_reader_resumes_on_another_connection(
    open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    store = open_store()
    publish(store, "ada", [ADA, TURIN])
    statements = Statements(monkeypatch)
    with store.read() as reader:
        expected = reader.records.counts(), reader.facts(reader.rows("fact")), reader.records.documents()
    statements.at(1 + int(share * statements.seen), between.cut)
    with store.read() as reader:
        assert (reader.records.counts(), reader.facts(reader.rows("fact")), reader.records.documents()) == expected


def test_reader_is_interrupted_if_the_store_changed_meanwhile(open_store: Opener, between: Proxy) -> None:
    store, other = open_store(), open_store(past=True)
    publish(store, "ada", [ADA])
    with pytest.raises(StoreInterrupted, match="was changed after") as raised, store.read() as reader:
        assert reader.size("fact") == 1
        publish(other, "turin", [TURIN])
        between.cut()
        reader.records.counts()
    assert_one_line(raised.value)
    with store.read() as reader:
        assert reader.size("fact") == 2


def test_cache_lookup_is_repeated_after_an_interruption(
    open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = open_store(), open_store(past=True)
    other.record_calls([(CALL, ("00" * 16, "a reply", True))])
    statements = Statements(monkeypatch)

    def interrupt() -> None:
        publish(other, "ada", [ADA])
        between.cut()

    statements.at(2, interrupt)
    assert StoreResponseCache(store).get(["00" * 16]) == {"00" * 16: ("a reply", True)}
    assert statements.seen > 3


def test_readers_may_outnumber_connections(open_store: Opener) -> None:
    """Each enters a call in the ledger while it reads, as questions do that a model is asked for."""
    store = open_store()
    publish(store, "ada", [ADA])
    read: list[int] = []

    def ask() -> None:
        with store.read() as reader:
            time.sleep(0.02)
            store.record_calls([(CALL, None)])
            read.append(reader.size("fact"))

    asking = [threading.Thread(target=ask) for _ in range(3 * pool.MOST_CONNECTIONS)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert read == [1] * len(asking)


@pytest.mark.usefixtures("impatient")
def test_pool_timeout_is_reported(open_store: Opener) -> None:
    store = open_store()
    with contextlib.ExitStack() as reading:
        for _ in range(pool.MOST_READING):
            reading.enter_context(store.read())
        with pytest.raises(StoreError, match="all read connections of this process") as raised, store.read():
            pass
    assert_one_line(raised.value)
    with store.read() as reader:
        assert reader.size("fact") == 0


# writing


@pytest.mark.parametrize("what", ["cut", "lose_answer"])
@pytest.mark.parametrize("number", range(1, 7))
def test_run_continues_after_a_commit_without_an_answer(
    open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch, what: str, number: int
) -> None:
    """The server was told to commit and could not answer, or was not told."""
    store = open_store()
    statements = Statements(monkeypatch, "COMMIT")
    statements.at(number, getattr(between, what))
    report = indexed(store)
    assert statements.seen >= number
    assert (report.added, report.changed, report.chunks) == (len(DOCUMENTS), 0, len(DOCUMENTS))
    assert store.problems() == [] and canonical(store) == undisturbed()


@pytest.mark.parametrize("share", [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95])
def test_run_continues_after_lost_connections(
    open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    statements = Statements(monkeypatch)
    store, other = open_store(), PostgresStore(postgres.address(postgres.fresh()), HashingEmbedder().name)
    with contextlib.closing(other):
        statements.at(0, between.cut)
        indexed(other)
        at = 1 + int(share * statements.seen)
        statements.at(at, between.cut)
        assert indexed(store).added == len(DOCUMENTS)
        assert statements.seen >= at
        assert store.problems() == [] and canonical(store) == canonical(other)


@pytest.mark.parametrize("what", ["cut", "lose_answer"])
def test_call_is_recorded_once(open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    store = open_store()
    Statements(monkeypatch, "COMMIT").at(1, getattr(between, what))
    store.record_calls([(CALL, ("00" * 16, "a reply", True))])
    with store.read() as reader:
        assert calls_in(reader) == 1
        assert reader.records.reply("00" * 16) == ("a reply", True)


@pytest.mark.usefixtures("impatient")
def test_unknown_commit_status_is_reported(open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store()

    def vanish() -> None:
        between.refuses = True
        between.lose_answer()

    Statements(monkeypatch, "COMMIT").at(1, vanish)
    with pytest.raises(StoreError, match="its outcome is unknown") as raised:
        publish(store, "ada", [ADA])
    assert not isinstance(raised.value, StoreInterrupted)
    assert_one_line(raised.value)
    between.refuses = False
    publish(store, "ada", [ADA])
    assert store.problems() == []


def test_lost_exclusive_lock_stops_the_session(open_store: Opener, between: Proxy) -> None:
    store, other = open_store(), open_store(past=True)
    with store.exclusive_session():
        publish(store, "ada", [ADA])
        between.cut()
        with pytest.raises(StoreError), store.write():
            pass
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(StoreError), other.exclusive_session():
                publish(other, "turin", [TURIN])
                break
            assert time.monotonic() < deadline
        with pytest.raises(StoreError, match="was lost") as raised, store.write():
            pass
        assert_one_line(raised.value)
    assert other.problems() == []


# documents that are taken


def test_leases_survive_a_lost_connection(open_store: Opener, between: Proxy) -> None:
    store, other = open_store(), open_store(past=True)
    with store.indexing_session() as mine, other.indexing_session() as others:
        assert mine.acquire(["aa" * 16, "bb" * 16]) == {"aa" * 16, "bb" * 16}
        between.cut()
        assert mine.acquire(["cc" * 16]) == {"cc" * 16}
        assert others.acquire(["aa" * 16, "bb" * 16, "cc" * 16]) == frozenset()
        between.cut()
        mine.release(["aa" * 16])
        assert mine.acquire(["dd" * 16]) == {"dd" * 16}
        assert others.acquire(["aa" * 16, "bb" * 16]) == {"aa" * 16}


@pytest.mark.parametrize("way", ["took", "took and let go", "was alone"])
def test_conflicting_writers_prevent_the_change(open_store: Opener, between: Proxy, way: str) -> None:
    store, other = open_store(), open_store(past=True)
    with store.indexing_session() as mine:
        assert mine.acquire(["aa" * 16])
        between.cut()
        with contextlib.ExitStack() as held:
            deadline = time.monotonic() + 60
            while not come_between(other, way, held):
                assert time.monotonic() < deadline
            for _ in range(2):
                with pytest.raises(StoreError) as raised, store.write():
                    pass
            assert "another run took over" in str(raised.value) or "another process" in str(raised.value)
            assert_one_line(raised.value)


def come_between(other: PostgresStore, way: str, held: contextlib.ExitStack) -> bool:
    """Whether the server let another in already."""
    if way == "was alone":
        with contextlib.suppress(StoreError), other.exclusive_session():
            return True
        return False
    claims = held.enter_context(other.indexing_session())
    taken = claims.acquire(["aa" * 16])
    if way == "took and let go":
        claims.release(taken)
    return bool(taken)
