"""Servers that are dead, busy or out of reach, and transactions that wait for each other."""

import contextlib
import threading
import time

import psycopg
import pytest

from polyadic.errors import StoreError
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from tests.postgres.test_faults import ADA, CALL, Opener, assert_one_line, between, calls_in, impatient, open_store
from tests.server.running_server import wait_until
from tests.support import postgres
from tests.support.proxy import Proxy
from tests.support.store_driver import publish

__all__ = ["between", "impatient", "open_store"]


# time


@pytest.mark.usefixtures("impatient")
def test_dead_connection_is_given_up(open_store: Opener, between: Proxy) -> None:
    store = open_store()
    begun = time.monotonic()
    with pytest.raises(StoreError) as raised, store.read() as reader:
        between.stall()
        reader.records.counts()
    assert time.monotonic() - begun < 15
    assert_one_line(raised.value)
    between.flow()
    with store.read() as reader:
        assert reader.size("fact") == 0


@pytest.mark.usefixtures("impatient")
def test_busy_server_is_waited_for(open_store: Opener) -> None:
    with open_store().read() as reader:
        assert reader._connection.execute("SELECT 1 FROM pg_sleep(?)", (1.8,)).fetchall() == [(1,)]  # type: ignore[attr-defined]


def test_statement_timeout_is_reported(between: Proxy) -> None:
    # Long enough for the statements that open the store.
    address = PostgresDsn(f"{between.database}?options=-c%20statement_timeout%3D2000", postgres.fresh())
    with contextlib.closing(PostgresStore(address, None)) as store:
        with pytest.raises(StoreError, match="statement_timeout") as raised, store.read() as reader:
            reader._connection.execute("SELECT 1 FROM pg_sleep(?)", (60,))  # type: ignore[attr-defined]
        assert_one_line(raised.value)


def test_deadlocked_transaction_is_retried(open_store: Opener) -> None:
    """A deadlock, of which the server ends the side that has waited for longer."""
    store = open_store()
    first, second = "aa" * 16, "bb" * 16
    insert = "INSERT INTO reply (digest, text, complete) VALUES (%s, '', true)"
    blocked = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
    with psycopg.connect(postgres.server()) as raw, psycopg.connect(postgres.server(), autocommit=True) as watching:
        # The server cancels the side whose deadlock_timeout ends first: the store's, after a second.
        raw.execute("SET deadlock_timeout = '60s'")
        raw.execute("SET search_path = polyadic, public")
        raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(store.number),))
        raw.execute(insert, (bytes.fromhex(second),))
        noting = threading.Thread(
            target=store.record_calls, args=([(CALL, (first, "a", True)), (CALL, (second, "b", True))],)
        )
        noting.start()
        wait_until(lambda: watching.execute(blocked, (raw.info.backend_pid,)).fetchall() == [(1,)])
        raw.execute(insert, (bytes.fromhex(first),))
        raw.rollback()
        noting.join()
    with store.read() as reader:
        assert calls_in(reader) == 2
        assert reader.records.reply(second) == ("b", True)


@pytest.mark.usefixtures("impatient")
def test_unreachable_server_is_reported_and_reconnected(
    open_store: Opener, between: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store()
    publish(store, "ada", [ADA])
    between.refuses = True
    between.cut()
    for work in (store.read, store.write):
        with pytest.raises(StoreError) as raised, work():
            pass
        assert_one_line(raised.value)
    between.refuses = False
    monkeypatch.undo()
    with store.read() as reader:
        assert reader.size("fact") == 1
