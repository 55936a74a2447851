"""What writes over several transactions: a connection whose locks say so, and which makes its changes.

A change and the right to make it are lost together, with the connection. Who is alone has then lost it for good. Who
has joined others gets another connection, and goes on if nobody has taken since then what it had taken: beside each
document stands who took it last.
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
from polyadic.storage.sql.digests import digest_bytes

Transaction = Callable[[Raw], AbstractContextManager[PostgresConnection]]
"""Begins a transaction of the workspace on a connection."""


class ExclusiveSession:
    """Who keeps all others out, as long as the connection is there."""

    def __init__(self, raw: Raw, transaction: Transaction, address: PostgresDsn) -> None:
        self.turn = threading.Lock()
        """Several threads have one connection."""
        self._raw = raw
        self._address = address
        with transaction(raw) as connection:
            forget_taken(connection)

    def connection(self) -> Raw:
        if self._raw.closed:
            what = f"the connection that kept others from writing to {self._address} was lost"
            raise StoreError(what, "run this again; what was finished is kept")
        return self._raw


class SharedSession:
    """Implements :class:`polyadic.storage.leases.DocumentLeases`: documents that are locked by a session, which ends
    with it.

    Parameters
    ----------
    key
        The lock that all who have joined share.
    """

    def __init__(
        self, pool: DatabasePool, transaction: Transaction, address: PostgresDsn, workspace: int, key: int
    ) -> None:
        self.turn = threading.RLock()
        """Several threads have one connection; who has it may also take documents meanwhile."""
        self._pool = pool
        self._transaction = transaction
        self._address = address
        self._workspace = workspace
        self._key = key
        self._name = secrets.token_hex(8)
        self._documents: set[str] = set()
        self._raw = self._joined()

    def connection(self) -> Raw:
        """That of the session; another where the last was lost, with all that was taken.

        Raises
        ------
        StoreError
            Others have come between.
        """
        if self._raw.closed:
            self._rejoin()
        return self._raw

    def take(self, document_ids: Iterable[str]) -> frozenset[str]:
        wanted = sorted(document_ids)
        with self.turn:
            for _ in pauses(WAITED):
                try:
                    return self._taken(wanted)
                except psycopg.Error as error:
                    if not is_lost(error):
                        raise
                    last = error
        raise last

    def let_go(self, document_ids: Iterable[str]) -> None:
        gone = sorted(document_ids)
        with self.turn:
            self._documents.difference_update(gone)
            # Where the connection is lost, they are let go of already.
            with contextlib.suppress(psycopg.OperationalError):
                with self._within() as connection:
                    connection.execute(
                        "DELETE FROM taken WHERE holder = ? AND document = ANY(?)",
                        (self._name, [digest_bytes(document) for document in gone]),
                    )
                keys = sorted(map(self._lock_of, gone))
                self._raw.execute("SELECT pg_advisory_unlock(key) FROM unnest(%s::bigint[]) key", (keys,))

    def close(self) -> None:
        _let_go_of_all(self._raw, self._pool)

    def _joined(self) -> Raw:
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

    def _taken(self, wanted: list[str]) -> frozenset[str]:
        raw = self.connection()
        with self._within() as connection:
            mine = self._lock(raw, wanted)
            connection.executemany(
                "INSERT INTO taken (document, holder) VALUES (?, ?)"
                " ON CONFLICT (document) DO UPDATE SET holder = excluded.holder",
                [(digest_bytes(document), self._name) for document in sorted(mine)],
            )
        self._documents |= mine
        return mine

    def _lock(self, raw: Raw, documents: Iterable[str]) -> frozenset[str]:
        keys = {self._lock_of(document): document for document in documents}
        sql = "SELECT key, pg_try_advisory_lock(key) FROM unnest(%s::bigint[]) key"
        return frozenset(keys[key] for key, is_mine in raw.execute(sql, (sorted(keys),)) if is_mine)

    @contextlib.contextmanager
    def _within(self) -> Iterator[PostgresConnection]:
        """The transaction under way, or one of its own."""
        if self._raw.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
            yield PostgresConnection(self._raw)
        else:
            with self._transaction(self._raw) as connection:
                yield connection

    def _rejoin(self) -> None:
        trouble: psycopg.Error | None = None
        for _ in pauses(WAITED):
            try:
                # The server may not know yet that the other is gone.
                self._pool.end(self._raw.session)
                if self._has_rejoined():
                    return
                trouble = None
            except psycopg.OperationalError as error:
                trouble = error
        raise trouble or self._overtaken()

    def _has_rejoined(self) -> bool:
        """Let a new connection hold all that the last one held; whether it could be had.

        Raises
        ------
        StoreError
            Somebody held some of it in between.
        """
        fresh = self._pool.getconn()
        try:
            has_joined = locked(fresh, "pg_try_advisory_lock_shared", self._key)
            has_all = has_joined and self._lock(fresh, self._documents) == self._documents
            if self._still_named(fresh) < len(self._documents):
                raise self._overtaken()
        except BaseException:
            _let_go_of_all(fresh, self._pool)
            raise
        if has_all:
            lost, self._raw = self._raw, fresh
            self._pool.putconn(lost)
        else:
            _let_go_of_all(fresh, self._pool)
        return has_all

    def _overtaken(self) -> StoreError:
        return StoreError(
            f"the connection to {self._address} was lost, and others took up what this run was working on",
            "run this again; what was finished is kept",
        )

    def _still_named(self, raw: Raw) -> int:
        with self._transaction(raw) as connection:
            # Locked, so that whoever is about to commit otherwise is waited for.
            rows = connection.execute(
                "SELECT document FROM taken WHERE holder = ? AND document = ANY(?) FOR SHARE",
                (self._name, [digest_bytes(document) for document in self._documents]),
            ).fetchall()
        return len(rows)

    def _lock_of(self, document_id: str) -> int:
        """Below 0, where no other lock of ours is."""
        digest = hashlib.blake2b(f"{self._workspace} {document_id}".encode(), digest_size=8).digest()
        return -1 - (int.from_bytes(digest) >> 1)


def _let_go_of_all(raw: Raw, pool: DatabasePool) -> None:
    with contextlib.suppress(psycopg.Error):
        raw.execute("SELECT pg_advisory_unlock_all()")
    pool.putconn(raw)


def forget_taken(connection: PostgresConnection) -> None:
    """To be done by who is alone: runs that lost a connection before must not believe that nobody has been here."""
    connection.execute("DELETE FROM taken")


def locked(raw: Raw, function: str, key: int) -> bool:
    """Whether an advisory lock could be had, by the function of PostgreSQL that tries to take it."""
    row = raw.execute(f"SELECT {function}(%s)".encode(), (key,)).fetchone()
    return bool(row and row[0])


def busy(address: PostgresDsn) -> StoreBusy:
    return StoreBusy(f"another process is writing to {address}", "wait for it to end, then run this again")
