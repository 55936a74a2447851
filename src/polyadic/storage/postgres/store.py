"""PostgreSQL store: many workspaces per database, concurrent readers and writers on many hosts."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

import numpy as np
import psycopg

from polyadic.errors import StoreBusy
from polyadic.storage.arrays.hierarchy_arrays import HierarchyCache
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.leases import NoLeases
from polyadic.storage.postgres.commit_status import commit
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.filtered_reader import PostgresFilterCache
from polyadic.storage.postgres.lease_sessions import ExclusiveSession, SharedSession, busy, forget_taken, locked
from polyadic.storage.postgres.migrations import tables
from polyadic.storage.postgres.pool import POOLS, Raw
from polyadic.storage.postgres.reader import PostgresReader
from polyadic.storage.postgres.reembedding import PostgresReembeddingWriter
from polyadic.storage.postgres.size_estimate import size_of
from polyadic.storage.postgres.snapshot import SnapshotConnection
from polyadic.storage.postgres.transfer import PostgresCopyTarget
from polyadic.storage.postgres.writer import PostgresWriter
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
        with translate_errors(address):
            self._pool = POOLS.take(address.database)
            try:
                self._workspace = self._find_or_create()
                self._claim()
            except BaseException:
                POOLS.give_back(address.database)
                raise
        self._open = True

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
        with translate_errors(self._address), self._session_lock(_EXCLUSIVE_LOCK) as raw:
            session = ExclusiveSession(raw, self._transaction, self._address)
            with self._holding_session(session):
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
            with contextlib.closing(session), self._holding_session(session):
                yield session

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        session = self._session.get()
        return self._staging_transaction(session) if isinstance(session, SharedSession) else self.write()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with translate_errors(self._address), contextlib.ExitStack() as entered:
            session = self._session.get()
            if session is None:
                raw = entered.enter_context(self._pool.connection())
            else:
                entered.enter_context(session.turn)
                raw = session.connection()
            connection = entered.enter_context(self._transaction(raw))
            if session is None:
                # Shared sessions require that no other session changes their leased documents or the entity resolution.
                if not locked(raw, "pg_try_advisory_xact_lock", self._key(_EXCLUSIVE_LOCK)):
                    raise busy(self._address)
                forget_taken(connection)
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_WRITE_LOCK),))
            yield self._writer(connection)

    @contextlib.contextmanager
    def copy_source(self) -> Iterator[CopySource]:
        with translate_errors(self._address), self._snapshot() as connection:
            yield CopySource(connection, self._reader(connection), self._address)

    @contextlib.contextmanager
    def copy_target(self) -> Iterator[CopyTarget]:
        with translate_errors(self._address), self._session_lock(_EXCLUSIVE_LOCK) as raw, self._in_workspace(raw):
            yield PostgresCopyTarget(PostgresConnection(raw), lambda: self._transaction_scope(raw), self._address)

    def record_calls(self, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
        with_retries(self._record_calls, calls)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        with self._committed_state() as connection:
            return ledger.cached_replies(connection, keys)

    def filled_with(self) -> str | None:
        with translate_errors(self._address), self._snapshot() as connection:
            return connection.embedder or None

    @contextlib.contextmanager
    def reembedding_session(self, model: str) -> Iterator[ReembeddingWriter]:
        with (
            translate_errors(self._address),
            self._session_lock(_REEMBED_LOCK) as raw,
            self._in_workspace(raw),
        ):
            yield PostgresReembeddingWriter(
                PostgresConnection(raw), model, lambda: self._transaction_scope(raw), lambda: self._check_exclusive(raw)
            )

    @property
    def number(self) -> int:
        """Key of the workspace in all tables."""
        return self._workspace

    def drop(self) -> None:
        """Delete the workspace and all its rows; processes that have it open see it empty, then missing."""
        with translate_errors(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_WRITE_LOCK),))
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_STAGING_LOCK),))
            # The row counts come last: triggers update them while other rows are deleted.
            for table in sorted(tables(raw), key=lambda name: (name == "row_count", name)):
                connection.execute(f"DELETE FROM {table}")
            raw.execute("DELETE FROM workspace WHERE id = %s", (self._workspace,))

    def size(self) -> int:
        """Return the size of the workspace's rows in bytes, without indexes; estimated from a sample."""
        with translate_errors(self._address), self._snapshot() as connection:
            return size_of(connection)

    def problems(self) -> list[str]:
        with translate_errors(self._address), self._snapshot() as connection:
            return problems_of(connection)

    def close(self) -> None:
        if self._open:
            self._open = False
            POOLS.give_back(self._address.database)

    # steps of the above

    @contextlib.contextmanager
    def _staging_transaction(self, session: SharedSession) -> Iterator[StagingWriter]:
        with translate_errors(self._address), session.turn:
            raw = session.connection()
            with self._transaction(raw) as connection:
                raw.execute("SELECT pg_advisory_xact_lock_shared(%s)", (self._key(_STAGING_LOCK),))
                yield self._writer(connection)

    def _writer(self, connection: PostgresConnection) -> PostgresWriter:
        copying, filled_with = metas(connection, (COPYING, EMBEDDER))
        check_usable(copying, filled_with, self._embedder, self._address)
        return PostgresWriter(connection)

    def _record_calls(self, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
        with translate_errors(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            ledger.enter(connection, calls)

    @contextlib.contextmanager
    def _session_lock(self, lock: int) -> Iterator[Raw]:
        """Hold one of the workspace's locks for the duration of the context; yields the connection that holds it."""
        with self._pool.connection() as raw:
            if not locked(raw, "pg_try_advisory_lock", self._key(lock)):
                raise busy(self._address) if lock == _EXCLUSIVE_LOCK else self._already_reembedding()
            try:
                yield raw
            finally:
                with contextlib.suppress(psycopg.Error):
                    raw.execute("SELECT pg_advisory_unlock_all()")

    @contextlib.contextmanager
    def _holding_session(self, session: ExclusiveSession | SharedSession) -> Iterator[None]:
        """Route writes within the context through a session."""
        token = self._session.set(session)
        try:
            yield
        finally:
            self._session.reset(token)

    @contextlib.contextmanager
    def _committed_state(self) -> Iterator[SnapshotConnection]:
        """Open the last committed state, after checking that the store is complete and its model unchanged."""
        with translate_errors(self._address), self._snapshot() as connection:
            check_usable(connection.copying, connection.embedder, self._embedder, self._address)
            yield connection

    def _snapshot(self) -> AbstractContextManager[SnapshotConnection]:
        return SnapshotConnection.of(self._pool, self._begin_sql(_BEGIN_READ), self._address)

    @contextlib.contextmanager
    def _transaction(self, raw: Raw) -> Iterator[PostgresConnection]:
        """Run a transaction that sees only this workspace; commit it unless the context raises."""
        raw.execute(self._begin_sql("BEGIN").encode())
        try:
            yield PostgresConnection(raw)
        except BaseException:
            with contextlib.suppress(psycopg.Error):
                raw.execute("ROLLBACK")
            raise
        commit(raw, self._pool, self._address)

    def _begin_sql(self, how: str) -> str:
        """Return the SQL that begins a transaction restricted to this workspace."""
        return f"{how}; SET LOCAL polyadic.workspace = {self._workspace}"

    @contextlib.contextmanager
    def _in_workspace(self, raw: Raw) -> Iterator[None]:
        """Restrict a connection to this workspace, outside of transactions as well."""
        raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(self._workspace),))
        try:
            yield
        finally:
            with contextlib.suppress(psycopg.OperationalError):
                raw.execute("RESET polyadic.workspace")

    def _reader(self, connection: Connection) -> PostgresReader:
        return PostgresReader(connection, lambda: self._hierarchies.arrays(connection))

    @contextlib.contextmanager
    def _transaction_scope(self, raw: Raw) -> Iterator[None]:
        with self._transaction(raw):
            yield

    def _check_exclusive(self, raw: Raw) -> None:
        """Lock out other writers until the transaction commits, and check that the session still holds its lock."""
        raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_WRITE_LOCK),))
        if (session := self._session.get()) is not None:
            session.connection().execute("SELECT 1")

    def _find_or_create(self) -> int:
        """Return the key of the workspace, creating it if missing.

        An existing workspace is only read, so that a standby can be opened.
        """
        sql, name = "SELECT id FROM workspace WHERE name = %s", (self._address.name,)
        with self._pool.connection() as raw:
            rows = raw.execute(sql, name).fetchall()
            if not rows:
                raw.execute("INSERT INTO workspace (name) VALUES (%s) ON CONFLICT DO NOTHING", name)
                rows = raw.execute(sql, name).fetchall()
            return int(rows[0][0])

    def _claim(self) -> None:
        """Record the embedding model in a new workspace; reject a workspace that holds vectors of another model."""
        if self._embedder is None:
            return
        with self._pool.connection() as raw, self._transaction(raw) as connection:
            if meta(connection, EMBEDDER) is None:
                put_if_missing(connection, EMBEDDER, self._embedder)
            check_claimed(meta(connection, EMBEDDER), self._embedder, self._address)

    def _key(self, lock: int) -> int:
        return self._workspace * _LOCKS_PER_WORKSPACE + lock

    def _already_reembedding(self) -> StoreBusy:
        what = f"the embedding model of {self._address} is being changed already"
        return StoreBusy(what, "wait for that to end first")


def by_key(connection: Connection) -> tuple[Integers, int]:
    """Number the entities of the hierarchy by table keys: keys in digest order, and the highest key plus one."""
    keys = np.array(connection.execute("SELECT id FROM entity ORDER BY digest").fetchall(), dtype=np.int64).reshape(-1)
    return keys, int(keys.max(initial=-1)) + 1
