"""The PostgreSQL store: many workspaces in one database, many readers and writers on many hosts."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

import numpy as np
import psycopg

from polyadic.errors import StoreBusy
from polyadic.storage.connection import Connection
from polyadic.storage.incidence import Integers
from polyadic.storage.leases import NoLeases
from polyadic.storage.memory.hierarchy_cache import HierarchyCache
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
    CopySource,
    CopyTarget,
    DocumentLeases,
    LedgerCall,
    Reader,
    ReembeddingWriter,
    StagingWriter,
    ToRemember,
    Writer,
)
from polyadic.storage.retry import with_retries
from polyadic.storage.sql import ledger
from polyadic.storage.sql.consistency_check import problems_of
from polyadic.storage.sql.embedding_model import EMBEDDER, check_claimed, check_still_claimed, claim
from polyadic.storage.sql.meta import meta, metas
from polyadic.storage.sql.transfer import COPYING, SqlCopySource, check_whole

_ALONE, _IN_TURN, _GATHERING, _PREPARING = 1, 2, 3, 4
"""Locks of a workspace: kept by one who writes over several transactions; by each transaction that writes; by one who
gathers vectors; by each transaction that prepares, shared with others of these."""
_LOCKS = 16
_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresStore:
    """Implements :class:`polyadic.storage.protocol.Store` in a database.

    Parameters
    ----------
    address
        The database and the name of the workspace, which is made where there is none.
    embedder
        Name of the model that fills the store with vectors; None for work that neither compares nor makes any.

    Raises
    ------
    StoreError
        The database cannot be reached or used, or was written by a newer version.
    EmbedderMismatch
        Another model filled the store.
    """

    def __init__(self, address: PostgresDsn, embedder: str | None) -> None:
        self._address = address
        self._embedder = embedder
        self._themes = HierarchyCache(by_key)
        self._scopes = PostgresFilterCache()
        self._holding: ContextVar[ExclusiveSession | SharedSession | None] = ContextVar("holding", default=None)
        with translate_errors(address):
            self._pool = POOLS.take(address.database)
            try:
                self._workspace = self._made()
                self._claim()
            except BaseException:
                POOLS.give_back(address.database)
                raise
        self._open = True

    @contextlib.contextmanager
    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> Iterator[Reader]:
        with self._whole() as connection:
            reader = self._reader(connection)
            if only is None:
                yield reader
            else:
                yield self._scopes.reader(connection, self._themes.state(connection).name, only(reader))

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        if isinstance(self._holding.get(), ExclusiveSession):
            yield
            return
        with translate_errors(self._address), self._session_lock(_ALONE) as raw:
            alone = ExclusiveSession(raw, self._transaction, self._address)
            with self._held(alone):
                yield

    @contextlib.contextmanager
    def joined(self) -> Iterator[DocumentLeases]:
        if isinstance(self._holding.get(), ExclusiveSession):
            yield NoLeases()
            return
        with translate_errors(self._address):
            joined = SharedSession(self._pool, self._transaction, self._address, self._workspace, self._key(_ALONE))
            with contextlib.closing(joined), self._held(joined):
                yield joined

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        holding = self._holding.get()
        return self._prepared(holding) if isinstance(holding, SharedSession) else self.write()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with translate_errors(self._address), contextlib.ExitStack() as entered:
            holding = self._holding.get()
            if holding is None:
                raw = entered.enter_context(self._pool.connection())
            else:
                entered.enter_context(holding.turn)
                raw = holding.connection()
            connection = entered.enter_context(self._transaction(raw))
            if holding is None:
                # Those who have joined rely on it that nobody changes what they work on, or who is who.
                if not locked(raw, "pg_try_advisory_xact_lock", self._key(_ALONE)):
                    raise busy(self._address)
                forget_taken(connection)
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_IN_TURN),))
            yield self._writer(connection)

    @contextlib.contextmanager
    def original(self) -> Iterator[CopySource]:
        with translate_errors(self._address), self._snapshot() as connection:
            yield SqlCopySource(connection, self._reader(connection), self._address)

    @contextlib.contextmanager
    def duplicate(self) -> Iterator[CopyTarget]:
        with translate_errors(self._address), self._session_lock(_ALONE) as raw, self._within(raw):
            yield PostgresCopyTarget(PostgresConnection(raw), lambda: self._begun(raw), self._address)

    def note_calls(self, calls: Sequence[tuple[LedgerCall, ToRemember | None]]) -> None:
        with_retries(self._note_calls, calls)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        with self._whole() as connection:
            return ledger.remembered_of(connection, keys)

    def filled_with(self) -> str | None:
        with translate_errors(self._address), self._snapshot() as connection:
            return connection.embedder or None

    @contextlib.contextmanager
    def gathering(self, model: str) -> Iterator[ReembeddingWriter]:
        with translate_errors(self._address), self._session_lock(_GATHERING) as raw, self._within(raw):
            yield PostgresReembeddingWriter(
                PostgresConnection(raw), model, lambda: self._begun(raw), lambda: self._check_alone(raw)
            )

    @property
    def number(self) -> int:
        """The key under which the workspace stands in all tables."""
        return self._workspace

    def drop(self) -> None:
        """Remove the workspace with all that it holds; others who have it open find it empty, and then gone."""
        with translate_errors(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_IN_TURN),))
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_PREPARING),))
            # What is counted is counted until the last row has gone.
            for table in sorted(tables(raw), key=lambda name: (name == "held", name)):
                connection.execute(f"DELETE FROM {table}")
            raw.execute("DELETE FROM workspace WHERE id = %s", (self._workspace,))

    def size(self) -> int:
        """Bytes of its rows, without their indexes, roughly where there are many."""
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
    def _prepared(self, joined: SharedSession) -> Iterator[StagingWriter]:
        with translate_errors(self._address), joined.turn:
            raw = joined.connection()
            with self._transaction(raw) as connection:
                raw.execute("SELECT pg_advisory_xact_lock_shared(%s)", (self._key(_PREPARING),))
                yield self._writer(connection)

    def _writer(self, connection: PostgresConnection) -> PostgresWriter:
        copying, filled_with = metas(connection, (COPYING, EMBEDDER))
        check_whole(copying, self._address)
        check_still_claimed(filled_with or None, self._embedder, self._address)
        return PostgresWriter(connection)

    def _note_calls(self, calls: Sequence[tuple[LedgerCall, ToRemember | None]]) -> None:
        with translate_errors(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            ledger.enter_all(connection, calls)

    @contextlib.contextmanager
    def _session_lock(self, lock: int) -> Iterator[Raw]:
        """A connection that has a lock of the workspace for itself, as long as the context lasts."""
        with self._pool.connection() as raw:
            if not locked(raw, "pg_try_advisory_lock", self._key(lock)):
                raise busy(self._address) if lock == _ALONE else self._gathering_already()
            try:
                yield raw
            finally:
                with contextlib.suppress(psycopg.Error):
                    raw.execute("SELECT pg_advisory_unlock_all()")

    @contextlib.contextmanager
    def _held(self, session: ExclusiveSession | SharedSession) -> Iterator[None]:
        """Let what is written in this context be written by a session."""
        token = self._holding.set(session)
        try:
            yield
        finally:
            self._holding.reset(token)

    @contextlib.contextmanager
    def _whole(self) -> Iterator[SnapshotConnection]:
        """The last committed state of a store that is whole and filled by the same model."""
        with translate_errors(self._address), self._snapshot() as connection:
            check_whole(connection.copying, self._address)
            check_still_claimed(connection.embedder or None, self._embedder, self._address)
            yield connection

    def _snapshot(self) -> AbstractContextManager[SnapshotConnection]:
        return SnapshotConnection.of(self._pool, self._beginning(_READING), self._address)

    @contextlib.contextmanager
    def _transaction(self, raw: Raw) -> Iterator[PostgresConnection]:
        """One that sees this workspace alone, committed when its context is left without an exception."""
        raw.execute(self._beginning("BEGIN").encode())
        try:
            yield PostgresConnection(raw)
        except BaseException:
            with contextlib.suppress(psycopg.Error):
                raw.execute("ROLLBACK")
            raise
        commit(raw, self._pool, self._address)

    def _beginning(self, how: str) -> str:
        """What begins a transaction that sees this workspace alone."""
        return f"{how}; SET LOCAL polyadic.workspace = {self._workspace}"

    @contextlib.contextmanager
    def _within(self, raw: Raw) -> Iterator[None]:
        """Let a connection see this workspace alone, outside of transactions as well."""
        raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(self._workspace),))
        try:
            yield
        finally:
            with contextlib.suppress(psycopg.OperationalError):
                raw.execute("RESET polyadic.workspace")

    def _reader(self, connection: Connection) -> PostgresReader:
        return PostgresReader(connection, lambda: self._themes.state(connection).arrays(connection))

    @contextlib.contextmanager
    def _begun(self, raw: Raw) -> Iterator[None]:
        with self._transaction(raw):
            yield

    def _check_alone(self, raw: Raw) -> None:
        """Within a transaction: nobody else writes before it has been committed, as who is alone still is."""
        raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_IN_TURN),))
        if (holding := self._holding.get()) is not None:
            holding.connection().execute("SELECT 1")

    def _made(self) -> int:
        """The key of the workspace. Nothing is written where there is one: a standby lets nobody write."""
        sql, name = "SELECT id FROM workspace WHERE name = %s", (self._address.name,)
        with self._pool.connection() as raw:
            rows = raw.execute(sql, name).fetchall()
            if not rows:
                raw.execute("INSERT INTO workspace (name) VALUES (%s) ON CONFLICT DO NOTHING", name)
                rows = raw.execute(sql, name).fetchall()
            return int(rows[0][0])

    def _claim(self) -> None:
        """Claim a new workspace for the embedding model, and refuse one that another model filled."""
        if self._embedder is None:
            return
        with self._pool.connection() as raw, self._transaction(raw) as connection:
            if meta(connection, EMBEDDER) is None:
                claim(connection, self._embedder)
            check_claimed(meta(connection, EMBEDDER), self._embedder, self._address)

    def _key(self, lock: int) -> int:
        return self._workspace * _LOCKS + lock

    def _gathering_already(self) -> StoreBusy:
        what = f"the embedding model of {self._address} is being changed already"
        return StoreBusy(what, "wait for that to end first")


def by_key(connection: Connection) -> tuple[Integers, int]:
    """The numbering of the entities of the hierarchy: their keys, as everywhere in this store."""
    keys = np.array(connection.execute("SELECT id FROM entity ORDER BY digest").fetchall(), dtype=np.int64).reshape(-1)
    return keys, int(keys.max(initial=-1)) + 1
