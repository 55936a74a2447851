"""The PostgreSQL store: many workspaces in one database, many readers and writers on many hosts."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

import numpy as np
import psycopg

from polyadic.errors import StoreBusy
from polyadic.store.arrays.theme_cache import ThemeCache
from polyadic.store.claims import All
from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers
from polyadic.store.postgres.address import Address
from polyadic.store.postgres.connecting import POOLS, Raw
from polyadic.store.postgres.connection import PostgresConnection
from polyadic.store.postgres.copying import PostgresDuplicate
from polyadic.store.postgres.gathering import PostgresGathering
from polyadic.store.postgres.migrating import tables
from polyadic.store.postgres.reader import PostgresReader
from polyadic.store.postgres.scope import Scopes
from polyadic.store.postgres.sessions import Alone, Joined, busy, forget_taken, locked
from polyadic.store.postgres.settling import commit
from polyadic.store.postgres.sizes import size_of
from polyadic.store.postgres.snapshot import Snapshot
from polyadic.store.postgres.troubles import explained
from polyadic.store.postgres.writer import PostgresWriter
from polyadic.store.protocol import Call, Claims, Duplicate, Gathering, Original, Preparer, Reader, ToRemember, Writer
from polyadic.store.repeating import repeated
from polyadic.store.tables import ledger
from polyadic.store.tables.check import problems_of
from polyadic.store.tables.copying import COPYING, SqlOriginal, check_whole
from polyadic.store.tables.embedder import EMBEDDER, check_claimed, check_still_claimed, claim
from polyadic.store.tables.meta import meta, metas

_ALONE, _IN_TURN, _GATHERING, _PREPARING = 1, 2, 3, 4
"""Locks of a workspace: kept by one who writes over several transactions; by each transaction that writes; by one who
gathers vectors; by each transaction that prepares, shared with others of these."""
_LOCKS = 16
_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresStore:
    """Implements :class:`polyadic.store.protocol.Store` in a database.

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

    def __init__(self, address: Address, embedder: str | None) -> None:
        self._address = address
        self._embedder = embedder
        self._themes = ThemeCache(by_key)
        self._scopes = Scopes()
        self._holding: ContextVar[Alone | Joined | None] = ContextVar("holding", default=None)
        with explained(address):
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
        if isinstance(self._holding.get(), Alone):
            yield
            return
        with explained(self._address), self._session_lock(_ALONE) as raw:
            alone = Alone(raw, self._transaction, self._address)
            with self._held(alone):
                yield

    @contextlib.contextmanager
    def joined(self) -> Iterator[Claims]:
        if isinstance(self._holding.get(), Alone):
            yield All()
            return
        with explained(self._address):
            joined = Joined(self._pool, self._transaction, self._address, self._workspace, self._key(_ALONE))
            with contextlib.closing(joined), self._held(joined):
                yield joined

    def prepare(self) -> AbstractContextManager[Preparer]:
        holding = self._holding.get()
        return self._prepared(holding) if isinstance(holding, Joined) else self.write()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with explained(self._address), contextlib.ExitStack() as entered:
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
    def original(self) -> Iterator[Original]:
        with explained(self._address), self._snapshot() as connection:
            yield SqlOriginal(connection, self._reader(connection), self._address)

    @contextlib.contextmanager
    def duplicate(self) -> Iterator[Duplicate]:
        with explained(self._address), self._session_lock(_ALONE) as raw, self._within(raw):
            yield PostgresDuplicate(PostgresConnection(raw), lambda: self._begun(raw), self._address)

    def note_calls(self, calls: Sequence[tuple[Call, ToRemember | None]]) -> None:
        repeated(self._note_calls, calls)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        with self._whole() as connection:
            return ledger.remembered_of(connection, keys)

    def filled_with(self) -> str | None:
        with explained(self._address), self._snapshot() as connection:
            return connection.embedder or None

    @contextlib.contextmanager
    def gathering(self, model: str) -> Iterator[Gathering]:
        with explained(self._address), self._session_lock(_GATHERING) as raw, self._within(raw):
            yield PostgresGathering(
                PostgresConnection(raw), model, lambda: self._begun(raw), lambda: self._check_alone(raw)
            )

    @property
    def number(self) -> int:
        """The key under which the workspace stands in all tables."""
        return self._workspace

    def drop(self) -> None:
        """Remove the workspace with all that it holds; others who have it open find it empty, and then gone."""
        with explained(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_IN_TURN),))
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_PREPARING),))
            # What is counted is counted until the last row has gone.
            for table in sorted(tables(raw), key=lambda name: (name == "held", name)):
                connection.execute(f"DELETE FROM {table}")
            raw.execute("DELETE FROM workspace WHERE id = %s", (self._workspace,))

    def size(self) -> int:
        """Bytes of its rows, without their indexes, roughly where there are many."""
        with explained(self._address), self._snapshot() as connection:
            return size_of(connection)

    def problems(self) -> list[str]:
        with explained(self._address), self._snapshot() as connection:
            return problems_of(connection)

    def close(self) -> None:
        if self._open:
            self._open = False
            POOLS.give_back(self._address.database)

    # steps of the above

    @contextlib.contextmanager
    def _prepared(self, joined: Joined) -> Iterator[Preparer]:
        with explained(self._address), joined.turn:
            raw = joined.connection()
            with self._transaction(raw) as connection:
                raw.execute("SELECT pg_advisory_xact_lock_shared(%s)", (self._key(_PREPARING),))
                yield self._writer(connection)

    def _writer(self, connection: PostgresConnection) -> PostgresWriter:
        copying, filled_with = metas(connection, (COPYING, EMBEDDER))
        check_whole(copying, self._address)
        check_still_claimed(filled_with or None, self._embedder, self._address)
        return PostgresWriter(connection)

    def _note_calls(self, calls: Sequence[tuple[Call, ToRemember | None]]) -> None:
        with explained(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
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
    def _held(self, session: Alone | Joined) -> Iterator[None]:
        """Let what is written in this context be written by a session."""
        token = self._holding.set(session)
        try:
            yield
        finally:
            self._holding.reset(token)

    @contextlib.contextmanager
    def _whole(self) -> Iterator[Snapshot]:
        """The last committed state of a store that is whole and filled by the same model."""
        with explained(self._address), self._snapshot() as connection:
            check_whole(connection.copying, self._address)
            check_still_claimed(connection.embedder or None, self._embedder, self._address)
            yield connection

    def _snapshot(self) -> AbstractContextManager[Snapshot]:
        return Snapshot.of(self._pool, self._beginning(_READING), self._address)

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
