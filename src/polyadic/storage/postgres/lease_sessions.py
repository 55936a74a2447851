"""Sessions that write over several transactions: a connection that holds the advisory locks and makes the changes.

If the connection is lost, locks and uncommitted changes are lost together. An exclusive session then fails. A shared
session reconnects and goes on, provided that no other session has leased its documents since: the table ``taken``
records the last holder of each document.
"""

import contextlib
import hashlib
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

import psycopg

from polyadic.errors import StoreBusy, StoreError
from polyadic.storage.postgres.backoff import WAITED, pauses
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import is_lost
from polyadic.storage.postgres.pool import DatabasePool, Raw
from polyadic.storage.postgres.schema import LEASE
from polyadic.storage.table import Insert

Transaction = Callable[[Raw], AbstractContextManager[PostgresConnection]]
"""Begins a transaction of the workspace on a connection."""


class ExclusiveSession:
    """A session that locks out all other writers as long as its connection is open."""

    def __init__(self, raw: Raw, transaction: Transaction, address: PostgresDsn) -> None:
        self.turn = threading.Lock()
        """Serializes the threads that share the connection."""
        self._raw = raw
        self._address = address
        with transaction(raw) as connection:
            forget_taken(connection)

    def connection(self) -> Raw:
        """Return the connection of the session; raises StoreError if it was lost."""
        if self._raw.closed:
            what = f"the connection that held the exclusive lock on {self._address} was lost"
            raise StoreError(what, "run this again; finished work is kept")
        return self._raw


class SharedSession:
    """Implements :class:`polyadic.storage.leases.DocumentLeases` with advisory locks, which end with the session.

    Parameters
    ----------
    key
        Key of the lock that all shared sessions hold.
    """

    def __init__(
        self, pool: DatabasePool, transaction: Transaction, address: PostgresDsn, workspace: int, key: int
    ) -> None:
        self.turn = threading.RLock()
        """Serializes the threads that share the connection; reentrant, so that a writing thread can lease documents."""
        self._pool = pool
        self._transaction = transaction
        self._address = address
        self._workspace = workspace
        self._key = key
        self._holder = secrets.token_hex(8)
        self._documents: set[str] = set()
        self._raw = self._connect()

    def connection(self) -> Raw:
        """Return the connection of the session; reconnect and lock all leased documents again if it was lost.

        Raises
        ------
        StoreError
            Another session has leased some of the documents meanwhile.
        """
        if self._raw.closed:
            self._reconnect()
        return self._raw

    def acquire(self, document_ids: Iterable[str]) -> frozenset[str]:
        wanted = sorted(document_ids)
        with self.turn:
            for _ in pauses(WAITED):
                try:
                    return self._take(wanted)
                except psycopg.Error as error:
                    if not is_lost(error):
                        raise
                    last = error
        raise last

    def release(self, document_ids: Iterable[str]) -> None:
        released = sorted(document_ids)
        with self.turn:
            self._documents.difference_update(released)
            # If the connection is lost, its locks are released already.
            with contextlib.suppress(psycopg.OperationalError):
                with self._current_transaction() as connection:
                    connection.execute(
                        "DELETE FROM lease WHERE holder = ? AND document = ANY(?)",
                        (self._holder, [bytes.fromhex(document) for document in released]),
                    )
                keys = sorted(map(self._lock_key, released))
                self._raw.execute("SELECT pg_advisory_unlock(key) FROM unnest(%s::bigint[]) key", (keys,))

    def close(self) -> None:
        _release_all(self._raw, self._pool)

    def _connect(self) -> Raw:
        for _ in pauses(WAITED):
            raw = self._pool.getconn()
            try:
                if locked(raw, "pg_try_advisory_lock_shared", self._key):
                    return raw
            except psycopg.Error as error:
                self._pool.putconn(raw)
                if not is_lost(error):
                    raise
                lost = error
            else:
                self._pool.putconn(raw)
                raise busy(self._address)
        raise lost

    def _take(self, wanted: list[str]) -> frozenset[str]:
        raw = self.connection()
        with self._current_transaction() as connection:
            acquired = self._lock(raw, wanted)
            connection.change(
                Insert(LEASE, LEASE.names, replace=("holder",)),
                [(bytes.fromhex(document), self._holder) for document in sorted(acquired)],
            )
        self._documents |= acquired
        return acquired

    def _lock(self, raw: Raw, documents: Iterable[str]) -> frozenset[str]:
        keys = {self._lock_key(document): document for document in documents}
        sql = "SELECT key, pg_try_advisory_lock(key) FROM unnest(%s::bigint[]) key"
        return frozenset(keys[key] for key, is_acquired in raw.execute(sql, (sorted(keys),)) if is_acquired)

    @contextlib.contextmanager
    def _current_transaction(self) -> Iterator[PostgresConnection]:
        """Use the open transaction of the connection, or begin one."""
        if self._raw.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
            yield PostgresConnection(self._raw)
        else:
            with self._transaction(self._raw) as connection:
                yield connection

    def _reconnect(self) -> None:
        failure: psycopg.Error | None = None
        for _ in pauses(WAITED):
            try:
                # The server may not have noticed yet that the old connection is lost.
                self._pool.end(self._raw.session)
                if self._try_reconnect():
                    return
                failure = None
            except psycopg.OperationalError as error:
                failure = error
        raise failure or self._taken_over()

    def _try_reconnect(self) -> bool:
        """Take all locks of the lost connection on a new one; return whether that succeeded.

        Raises
        ------
        StoreError
            Another session held some of the documents in between.
        """
        fresh = self._pool.getconn()
        try:
            has_joined = locked(fresh, "pg_try_advisory_lock_shared", self._key)
            has_all = has_joined and self._lock(fresh, self._documents) == self._documents
            if self._count_still_held(fresh) < len(self._documents):
                raise self._taken_over()
        except BaseException:
            _release_all(fresh, self._pool)
            raise
        if has_all:
            lost, self._raw = self._raw, fresh
            self._pool.putconn(lost)
        else:
            _release_all(fresh, self._pool)
        return has_all

    def _taken_over(self) -> StoreError:
        return StoreError(
            f"the connection to {self._address} was lost, and another run took over its documents",
            "run this again; finished work is kept",
        )

    def _count_still_held(self, raw: Raw) -> int:
        with self._transaction(raw) as connection:
            # Locked, to wait for a session that is about to commit another holder.
            rows = connection.execute(
                "SELECT document FROM lease WHERE holder = ? AND document = ANY(?) FOR SHARE",
                (self._holder, [bytes.fromhex(document) for document in self._documents]),
            ).fetchall()
        return len(rows)

    def _lock_key(self, document_id: str) -> int:
        """Return the lock key of a document; negative, so that it never equals a key of a workspace lock."""
        digest = hashlib.blake2b(f"{self._workspace} {document_id}".encode(), digest_size=8).digest()
        return -1 - (int.from_bytes(digest) >> 1)


def _release_all(raw: Raw, pool: DatabasePool) -> None:
    with contextlib.suppress(psycopg.Error):
        raw.execute("SELECT pg_advisory_unlock_all()")
    pool.putconn(raw)


def forget_taken(connection: PostgresConnection) -> None:
    """Delete all lease records, as an exclusive writer does first.

    A shared session that lost its connection can then not reconnect as if nothing had been written meanwhile.
    """
    connection.execute("DELETE FROM lease")


def locked(raw: Raw, function: str, key: int) -> bool:
    """Try to take an advisory lock with the given PostgreSQL function; return whether it was acquired."""
    row = raw.execute(f"SELECT {function}(%s)".encode(), (key,)).fetchone()
    return bool(row and row[0])


def busy(address: PostgresDsn) -> StoreBusy:
    """Make the error for a workspace that another process holds."""
    return StoreBusy(f"another process is writing to {address}", "wait for it to end, then run this again")
