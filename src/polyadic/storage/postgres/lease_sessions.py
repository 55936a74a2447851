"""Sessions that write over several transactions: a connection that holds the advisory locks and makes the changes.

If the connection is lost, locks and uncommitted changes are lost together. An exclusive session then fails. A shared
session reconnects and goes on, provided that no other session has leased its documents since: the table ``lease``
records the last holder of each document.
"""

import contextlib
import hashlib
import secrets
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

import psycopg

from polyadic.errors import StoreBusy, StoreError
from polyadic.storage.postgres.backoff import pauses, retried
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.pool import DatabasePool
from polyadic.storage.postgres.schema import LEASE
from polyadic.storage.table import Insert

_OWN_LEASES = "FROM lease WHERE holder = ? AND document = ANY(?)"
Transaction = Callable[[PostgresConnection], AbstractContextManager[None]]
"""Begins a transaction of the workspace on a connection."""


class ExclusiveSession:
    """A session that locks out all other writers as long as its connection is open."""

    def __init__(self, connection: PostgresConnection, transaction: Transaction, address: PostgresDsn) -> None:
        self.turn = threading.Lock()
        """Serializes the threads that share the connection."""
        self._connection = connection
        self._address = address
        with transaction(connection):
            forget_leases(connection)

    def connection(self) -> PostgresConnection:
        """Return the connection of the session; raises StoreError if it was lost."""
        if self._connection.closed:
            what = f"the connection that held the exclusive lock on {self._address} was lost"
            raise StoreError(what, "run this again; finished work is kept")
        return self._connection


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
        self._connection = retried(self._connect)

    def connection(self) -> PostgresConnection:
        """Return the connection of the session; reconnect and lock all leased documents again if it was lost.

        Raises
        ------
        StoreError
            Another session has leased some of the documents meanwhile.
        """
        if self._connection.closed:
            self._reconnect()
        return self._connection

    def acquire(self, document_ids: Iterable[str]) -> frozenset[str]:
        wanted = sorted(document_ids)
        with self.turn:
            return retried(lambda: self._lease(wanted))

    def release(self, document_ids: Iterable[str]) -> None:
        released = sorted(document_ids)
        with self.turn:
            self._documents.difference_update(released)
            # If the connection is lost, its locks are released already.
            with contextlib.suppress(psycopg.OperationalError):
                with self._current_transaction():
                    self._connection.execute(f"DELETE {_OWN_LEASES}", self._own(released))
                keys = sorted(map(self._lock_key, released))
                self._connection.execute("SELECT pg_advisory_unlock(key) FROM unnest(?::bigint[]) key", (keys,))

    def close(self) -> None:
        _release_all(self._connection, self._pool)

    # steps of the above

    def _connect(self) -> PostgresConnection:
        """Take a connection and its share of the lock; raises StoreBusy if a session holds it exclusively."""
        connection = self._pool.getconn()
        try:
            if not advisory_lock(connection, "pg_try_advisory_lock_shared", self._key):
                raise busy(self._address)
        except BaseException:
            _release_all(connection, self._pool)
            raise
        return connection

    def _lease(self, wanted: list[str]) -> frozenset[str]:
        connection = self.connection()
        with self._current_transaction():
            acquired = self._lock(connection, wanted)
            connection.change(
                Insert(LEASE, LEASE.names, replace=("holder",)),
                [(bytes.fromhex(document), self._holder) for document in sorted(acquired)],
            )
        self._documents |= acquired
        return acquired

    def _lock(self, connection: PostgresConnection, documents: Iterable[str]) -> frozenset[str]:
        keys = {self._lock_key(document): document for document in documents}
        sql = "SELECT key, pg_try_advisory_lock(key) FROM unnest(?::bigint[]) key"
        return frozenset(keys[key] for key, is_acquired in connection.execute(sql, (sorted(keys),)) if is_acquired)

    def _current_transaction(self) -> AbstractContextManager[None]:
        """Use the open transaction of the connection, or begin one."""
        is_open = self._connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        return contextlib.nullcontext() if is_open else self._transaction(self._connection)

    def _reconnect(self) -> None:
        failure: psycopg.Error | None = None
        for _ in pauses():
            try:
                # The server may not have noticed yet that the old connection is lost.
                if self._connection.session is not None:
                    self._connection.session.end()
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
            has_joined = advisory_lock(fresh, "pg_try_advisory_lock_shared", self._key)
            has_all = has_joined and self._lock(fresh, self._documents) == self._documents
            with self._transaction(fresh):
                # Locked, to wait for a session that is about to commit another holder.
                leases = fresh.execute(f"SELECT 1 {_OWN_LEASES} FOR SHARE", self._own(self._documents)).fetchall()
            if len(leases) < len(self._documents):
                raise self._taken_over()
        except BaseException:
            _release_all(fresh, self._pool)
            raise
        if has_all:
            fresh, self._connection = self._connection, fresh
        _release_all(fresh, self._pool)
        return has_all

    def _taken_over(self) -> StoreError:
        return StoreError(
            f"the connection to {self._address} was lost, and another run took over its documents",
            "run this again; finished work is kept",
        )

    def _own(self, documents: Iterable[str]) -> tuple[str, list[bytes]]:
        """Return the parameters of _OWN_LEASES."""
        return self._holder, [bytes.fromhex(document) for document in documents]

    def _lock_key(self, document_id: str) -> int:
        """Return the lock key of a document; negative, so that it never equals a key of a workspace lock."""
        digest = hashlib.blake2b(f"{self._workspace} {document_id}".encode(), digest_size=8).digest()
        return -1 - (int.from_bytes(digest) >> 1)


def _release_all(connection: PostgresConnection, pool: DatabasePool) -> None:
    with contextlib.suppress(psycopg.Error):
        connection.execute("SELECT pg_advisory_unlock_all()")
    pool.putconn(connection)


def forget_leases(connection: PostgresConnection) -> None:
    """Delete all lease records, as an exclusive writer does first.

    A shared session that lost its connection can then not reconnect as if nothing had been written meanwhile.
    """
    connection.execute("DELETE FROM lease")


def advisory_lock(connection: PostgresConnection, function: str, key: int) -> bool:
    """Call a PostgreSQL function that takes an advisory lock; return whether one that does not wait acquired it."""
    ((is_acquired,),) = connection.execute(f"SELECT {function}(?)", (key,)).fetchall()
    return bool(is_acquired)


def busy(address: PostgresDsn) -> StoreBusy:
    """Make the error for a workspace that another process holds."""
    return StoreBusy(f"another process is writing to {address}", "wait for it to end, then run this again")
