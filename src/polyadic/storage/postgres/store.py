"""PostgreSQL store: many workspaces per database, concurrent readers and writers on many hosts."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar

import numpy as np
import psycopg

from polyadic.errors import StoreBusy
from polyadic.storage.arrays.hierarchy_arrays import HierarchyCache
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.leases import NoLeases
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.filtered_reader import PostgresFilterCache
from polyadic.storage.postgres.lease_sessions import ExclusiveSession, SharedSession, advisory_lock, busy, forget_leases
from polyadic.storage.postgres.migrations import tables
from polyadic.storage.postgres.pool import SharedPool
from polyadic.storage.postgres.reader import PostgresReader
from polyadic.storage.postgres.size_estimate import size_of
from polyadic.storage.postgres.transactions import SnapshotConnection, commit
from polyadic.storage.postgres.writer import PostgresCopyTarget, PostgresReembeddingWriter, PostgresWriter
from polyadic.storage.protocol import (
    CachedReply,
    CopySource,
    CopyTarget,
    DocumentLeases,
    LedgerCall,
    Reader,
    ReembeddingWriter,
    StagingWriter,
    Writer,
)
from polyadic.storage.retry import with_retries
from polyadic.storage.sql import ledger
from polyadic.storage.sql.consistency_check import problems_of
from polyadic.storage.sql.meta import (
    COPYING,
    EMBEDDER,
    check_claimed,
    check_usable,
    meta,
    metas,
    put_if_missing,
)

_EXCLUSIVE_LOCK, _WRITE_LOCK, _REEMBED_LOCK, _STAGING_LOCK = 1, 2, 3, 4
"""Advisory locks of a workspace.

Exclusive: held by a session that writes over several transactions. Write: held by each writing transaction.
Reembed: held while vectors of a new model are collected. Staging: shared by the transactions that stage documents.
"""
_LOCKS_PER_WORKSPACE = 16
_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresStore:
    """Implements :class:`polyadic.storage.protocol.Store` in a database.

    Parameters
    ----------
    address
        The database and the name of the workspace, which is created if it does not exist.
    embedder
        Name of the model whose vectors the store holds; None for work that neither compares nor writes vectors.

    Raises
    ------
    StoreError
        The database cannot be reached or used, or was written by a newer version.
    EmbedderMismatch
        The store holds vectors of another model.
    """

    def __init__(self, address: PostgresDsn, embedder: str | None) -> None:
        self._address = address
        self._embedder = embedder
        self._hierarchies = HierarchyCache(by_key)
        self._filters = PostgresFilterCache()
        self._session: ContextVar[ExclusiveSession | SharedSession | None] = ContextVar("holding", default=None)
        with translate_errors(address), contextlib.ExitStack() as opened:
            self._pool = opened.enter_context(SharedPool(address.database))
            self._workspace = self._find_or_create()
            self._claim()
            self._opened = opened.pop_all()

    @contextlib.contextmanager
    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> Iterator[Reader]:
        with self._committed_state() as connection:
            reader = self._reader(connection)
            if only is None:
                yield reader
            else:
                yield self._filters.reader(connection, only(reader))

    @contextlib.contextmanager
    def exclusive_session(self) -> Iterator[None]:
        if isinstance(self._session.get(), ExclusiveSession):
            yield
            return
        with contextlib.ExitStack() as held:
            connection = held.enter_context(self._session_lock(_EXCLUSIVE_LOCK))
            held.enter_context(self._holding(ExclusiveSession(connection, self._transaction, self._address)))
            yield

    @contextlib.contextmanager
    def indexing_session(self) -> Iterator[DocumentLeases]:
        if isinstance(self._session.get(), ExclusiveSession):
            yield NoLeases()
            return
        with translate_errors(self._address):
            session = SharedSession(
                self._pool, self._transaction, self._address, self._workspace, self._key(_EXCLUSIVE_LOCK)
            )
            with contextlib.closing(session), self._holding(session):
                yield session

    @contextlib.contextmanager
    def prepare(self) -> Iterator[StagingWriter]:
        if isinstance(self._session.get(), SharedSession):
            with self._write_transaction() as connection:
                advisory_lock(connection, "pg_advisory_xact_lock_shared", self._key(_STAGING_LOCK))
                yield self._writer(connection)
        else:
            with self.write() as writer:
                yield writer

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with self._write_transaction() as connection:
            if self._session.get() is None:
                # Shared sessions require that no other session changes their leased documents or the entity resolution.
                if not advisory_lock(connection, "pg_try_advisory_xact_lock", self._key(_EXCLUSIVE_LOCK)):
                    raise busy(self._address)
                forget_leases(connection)
            self._lock_out_writers(connection)
            yield self._writer(connection)

    @contextlib.contextmanager
    def copy_source(self) -> Iterator[CopySource]:
        with self._snapshot() as connection:
            yield CopySource(connection, self._reader(connection), self._address)

    @contextlib.contextmanager
    def copy_target(self) -> Iterator[CopyTarget]:
        with self._session_lock(_EXCLUSIVE_LOCK) as connection:
            yield PostgresCopyTarget(connection, lambda: self._transaction(connection), self._address)

    def record_calls(self, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
        def enter() -> None:
            with self._pooled_transaction() as connection:
                ledger.enter(connection, calls)

        with_retries(enter)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        with self._committed_state() as connection:
            return ledger.cached_replies(connection, keys)

    def filled_with(self) -> str | None:
        with self._snapshot() as connection:
            return connection.embedder or None

    @contextlib.contextmanager
    def reembedding_session(self, model: str) -> Iterator[ReembeddingWriter]:
        with self._session_lock(_REEMBED_LOCK) as connection:
            yield PostgresReembeddingWriter(
                connection, model, lambda: self._transaction(connection), lambda: self._check_exclusive(connection)
            )

    @property
    def number(self) -> int:
        """Key of the workspace in all tables."""
        return self._workspace

    def drop(self) -> None:
        """Delete the workspace and all its rows; processes that have it open see it empty, then missing."""
        with self._pooled_transaction() as connection:
            self._lock_out_writers(connection)
            advisory_lock(connection, "pg_advisory_xact_lock", self._key(_STAGING_LOCK))
            # The row counts come last: triggers update them while other rows are deleted.
            for table in sorted(tables(connection), key=lambda name: (name == "row_count", name)):
                connection.execute(f"DELETE FROM {table}")
            connection.execute("DELETE FROM workspace WHERE id = ?", (self._workspace,))

    def size(self) -> int:
        """Return the size of the workspace's rows in bytes, without indexes; estimated from a sample."""
        with self._snapshot() as connection:
            return size_of(connection)

    def problems(self) -> list[str]:
        with self._snapshot() as connection:
            return problems_of(connection)

    def close(self) -> None:
        self._opened.close()

    # steps of the above: transactions

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[SnapshotConnection]:
        """Open the last committed state for reading."""
        with translate_errors(self._address), self._pool.reading():
            snapshot = SnapshotConnection(self._pool, self._begin_sql(_BEGIN_READ), self._address)
            with contextlib.closing(snapshot):
                yield snapshot

    @contextlib.contextmanager
    def _committed_state(self) -> Iterator[SnapshotConnection]:
        """Open the last committed state, after checking that the store is complete and its model unchanged."""
        with self._snapshot() as connection:
            check_usable(connection.copying, connection.embedder, self._embedder, self._address)
            yield connection

    @contextlib.contextmanager
    def _write_transaction(self) -> Iterator[PostgresConnection]:
        """Run a transaction on the connection of the session or, if there is none, of the pool."""
        session = self._session.get()
        if session is None:
            with self._pooled_transaction() as connection:
                yield connection
        else:
            with translate_errors(self._address), session.turn:
                connection = session.connection()
                with self._transaction(connection):
                    yield connection

    @contextlib.contextmanager
    def _pooled_transaction(self) -> Iterator[PostgresConnection]:
        with translate_errors(self._address), self._pool.connection() as connection, self._transaction(connection):
            yield connection

    @contextlib.contextmanager
    def _transaction(self, connection: PostgresConnection) -> Iterator[None]:
        """Run a transaction that sees only this workspace; commit it unless the context raises."""
        connection.execute(self._begin_sql("BEGIN").encode())
        try:
            yield
        except BaseException:
            with contextlib.suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            raise
        commit(connection, self._address)

    def _begin_sql(self, how: str) -> str:
        """Return the SQL that begins a transaction restricted to this workspace."""
        return f"{how}; SET LOCAL polyadic.workspace = {self._workspace}"

    # steps of the above: sessions and locks

    @contextlib.contextmanager
    def _session_lock(self, lock: int) -> Iterator[PostgresConnection]:
        """Hold one of the workspace's locks for the duration of the context.

        Yields the connection that holds it, restricted to this workspace outside of transactions as well.
        """
        with translate_errors(self._address), self._pool.connection() as connection:
            if not advisory_lock(connection, "pg_try_advisory_lock", self._key(lock)):
                if lock == _EXCLUSIVE_LOCK:
                    raise busy(self._address)
                what = f"the embedding model of {self._address} is being changed already"
                raise StoreBusy(what, "wait for that to end first")
            try:
                connection.execute(f"SET polyadic.workspace = {self._workspace}")
                yield connection
            finally:
                with contextlib.suppress(psycopg.Error):
                    connection.execute(b"RESET polyadic.workspace; SELECT pg_advisory_unlock_all()")

    @contextlib.contextmanager
    def _holding(self, session: ExclusiveSession | SharedSession) -> Iterator[None]:
        """Route writes within the context through a session."""
        token = self._session.set(session)
        try:
            yield
        finally:
            self._session.reset(token)

    def _lock_out_writers(self, connection: PostgresConnection) -> None:
        """Wait for other writers, and lock them out until the transaction commits."""
        advisory_lock(connection, "pg_advisory_xact_lock", self._key(_WRITE_LOCK))

    def _check_exclusive(self, connection: PostgresConnection) -> None:
        """Lock out other writers, and check that the session still holds its lock."""
        self._lock_out_writers(connection)
        if (session := self._session.get()) is not None:
            session.connection().execute("SELECT 1")

    def _key(self, lock: int) -> int:
        return self._workspace * _LOCKS_PER_WORKSPACE + lock

    # steps of the above: readers, writers, and the workspace itself

    def _reader(self, connection: Connection) -> PostgresReader:
        return PostgresReader(connection, lambda: self._hierarchies.arrays(connection))

    def _writer(self, connection: PostgresConnection) -> PostgresWriter:
        copying, filled_with = metas(connection, (COPYING, EMBEDDER))
        check_usable(copying, filled_with, self._embedder, self._address)
        return PostgresWriter(connection)

    def _find_or_create(self) -> int:
        """Return the key of the workspace, creating it if missing.

        An existing workspace is only read, so that a standby can be opened.
        """
        sql, name = "SELECT id FROM workspace WHERE name = ?", (self._address.name,)
        with self._pool.connection() as connection:
            rows = connection.execute(sql, name).fetchall()
            if not rows:
                connection.execute("INSERT INTO workspace (name) VALUES (?) ON CONFLICT DO NOTHING", name)
                rows = connection.execute(sql, name).fetchall()
            return int(rows[0][0])

    def _claim(self) -> None:
        """Record the embedding model in a new workspace; reject a workspace that holds vectors of another model."""
        if self._embedder is None:
            return
        with self._pooled_transaction() as connection:
            if meta(connection, EMBEDDER) is None:
                put_if_missing(connection, EMBEDDER, self._embedder)
            check_claimed(meta(connection, EMBEDDER), self._embedder, self._address)


def by_key(connection: Connection) -> tuple[Integers, int]:
    """Number the entities of the hierarchy by table keys: keys in digest order, and the highest key plus one."""
    keys = np.array(connection.execute("SELECT id FROM entity ORDER BY digest").fetchall(), dtype=np.int64).reshape(-1)
    return keys, int(keys.max(initial=-1)) + 1
