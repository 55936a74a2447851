"""The PostgreSQL store: many workspaces in one database, many readers and writers on many hosts."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar

import numpy as np
import psycopg

from polyadic.errors import EmbedderMismatch, StoreBusy
from polyadic.store.arrays.theme_cache import ThemeCache
from polyadic.store.claims import All
from polyadic.store.connection import Connection
from polyadic.store.incidence import Integers
from polyadic.store.postgres.address import Address
from polyadic.store.postgres.claims import SessionClaims
from polyadic.store.postgres.connecting import POOLS, Raw, explained, tables
from polyadic.store.postgres.connection import PostgresConnection
from polyadic.store.postgres.copying import PostgresDuplicate
from polyadic.store.postgres.gathering import PostgresGathering
from polyadic.store.postgres.reader import PostgresReader
from polyadic.store.postgres.scope import Scopes
from polyadic.store.postgres.writer import PostgresWriter
from polyadic.store.protocol import Call, Claims, Duplicate, Gathering, Original, Reader, ToRemember, Writer
from polyadic.store.tables import ledger
from polyadic.store.tables.check import problems_of
from polyadic.store.tables.copying import SqlOriginal, check_whole
from polyadic.store.tables.meta import meta

_ALONE, _IN_TURN, _GATHERING = 1, 2, 3
"""Locks of a workspace: kept by one who writes over several transactions; by each transaction that writes; by one who
gathers vectors."""
_LOCKS = 16
_TABLES = ("piece", "chunk", "vector", "near", "fact", "entity", "said", "participation", "statement", "reply")


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
        self._turn = threading.Lock()
        self._holding: ContextVar[Raw | None] = ContextVar("holding", default=None)
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
        with self._snapshot() as connection:
            self._check_still_mine(connection)
            reader = self._reader(connection)
            if only is None:
                yield reader
            else:
                yield self._scopes.reader(connection, self._themes.state(connection).name, only(reader))

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        if self._holding.get() is not None:
            yield
            return
        with explained(self._address), self._session_lock("pg_try_advisory_lock", _ALONE) as raw:
            token = self._holding.set(raw)
            try:
                yield
            finally:
                self._holding.reset(token)

    @contextlib.contextmanager
    def joined(self) -> Iterator[Claims]:
        if self._holding.get() is not None:
            yield All()
            return
        with explained(self._address), self._session_lock("pg_try_advisory_lock_shared", _ALONE) as raw:
            yield SessionClaims(raw, self._workspace)

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with explained(self._address), contextlib.ExitStack() as held:
            raw = self._holding.get()
            if raw is None:
                raw = held.enter_context(self._pool.connection())
            else:
                # Several threads of who holds the store have one connection.
                held.enter_context(self._turn)
            connection = held.enter_context(self._transaction(raw))
            if self._holding.get() is None and not _locked(raw, "pg_try_advisory_xact_lock_shared", self._key(_ALONE)):
                raise self._busy()
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_IN_TURN),))
            self._check_still_mine(connection)
            yield PostgresWriter(connection)

    @contextlib.contextmanager
    def original(self) -> Iterator[Original]:
        with self._snapshot() as connection:
            yield SqlOriginal(connection, self._reader(connection), self._address)

    @contextlib.contextmanager
    def duplicate(self) -> Iterator[Duplicate]:
        with explained(self._address), self._session_lock("pg_try_advisory_lock", _ALONE) as raw, self._within(raw):
            yield PostgresDuplicate(PostgresConnection(raw), lambda: self._begun(raw), self._address)

    def note_calls(self, calls: Sequence[tuple[Call, ToRemember | None]]) -> None:
        # In the same order by all who remember replies at once, so that none waits for one who waits for it.
        in_order = sorted(calls, key=lambda one: one[1][0] if one[1] else "")
        with explained(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            for call, reply in in_order:
                ledger.enter(connection, call, reply)

    def filled_with(self) -> str | None:
        with explained(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            return meta(connection, "embedder")

    @contextlib.contextmanager
    def gathering(self, model: str) -> Iterator[Gathering]:
        with explained(self._address), self._session_lock("pg_try_advisory_lock", _GATHERING) as raw, self._within(raw):
            yield PostgresGathering(PostgresConnection(raw), model, lambda: self._begun(raw))

    @property
    def number(self) -> int:
        """The key under which the workspace stands in all tables."""
        return self._workspace

    def drop(self) -> None:
        """Remove the workspace with all that it holds; others who have it open find it empty, and then gone."""
        with explained(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (self._key(_IN_TURN),))
            # What is counted is counted until the last row has gone.
            for table in sorted(tables(raw), key=lambda name: (name == "held", name)):
                connection.execute(f"DELETE FROM {table}")
            raw.execute("DELETE FROM workspace WHERE id = %s", (self._workspace,))

    def size(self) -> int:
        """Bytes of the rows of the largest tables, without their indexes."""
        parts = " + ".join(f"(SELECT coalesce(sum(pg_column_size(t)), 0) FROM {table} t)" for table in _TABLES)
        with explained(self._address), self._pool.connection() as raw, self._transaction(raw) as connection:
            return int(connection.execute(f"SELECT {parts}").fetchone()[0])

    def problems(self) -> list[str]:
        with self._snapshot() as connection:
            return problems_of(connection)

    def close(self) -> None:
        if self._open:
            self._open = False
            POOLS.give_back(self._address.database)

    # steps of the above

    @contextlib.contextmanager
    def _session_lock(self, function: str, lock: int) -> Iterator[Raw]:
        """A connection that has a lock of the workspace, as long as the context lasts."""
        with self._pool.connection() as raw:
            if not _locked(raw, function, self._key(lock)):
                raise self._busy(lock)
            try:
                yield raw
            finally:
                with contextlib.suppress(psycopg.OperationalError):
                    raw.execute("SELECT pg_advisory_unlock_all()")

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[PostgresConnection]:
        """A transaction that reads one committed state."""
        with (
            explained(self._address),
            self._pool.connection() as raw,
            self._transaction(raw, "ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection,
        ):
            yield connection

    @contextlib.contextmanager
    def _transaction(self, raw: Raw, mode: str = "") -> Iterator[PostgresConnection]:
        """One that sees this workspace alone, committed when its context is left without an exception."""
        raw.execute(f"BEGIN {mode}".encode())
        try:
            raw.execute("SELECT set_config('polyadic.workspace', %s, true)", (str(self._workspace),))
            yield PostgresConnection(raw)
            raw.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(psycopg.OperationalError):
                raw.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _within(self, raw: Raw) -> Iterator[None]:
        """Let a connection see this workspace alone, outside of transactions as well."""
        raw.execute("SELECT set_config('polyadic.workspace', %s, false)", (str(self._workspace),))
        try:
            yield
        finally:
            with contextlib.suppress(psycopg.OperationalError):
                raw.execute("RESET polyadic.workspace")

    def _reader(self, connection: PostgresConnection) -> PostgresReader:
        return PostgresReader(connection, lambda: self._themes.state(connection).arrays(connection))

    @contextlib.contextmanager
    def _begun(self, raw: Raw) -> Iterator[None]:
        with self._transaction(raw):
            yield

    def _made(self) -> int:
        """The key of the workspace."""
        with self._pool.connection() as raw:
            raw.execute("INSERT INTO workspace (name) VALUES (%s) ON CONFLICT DO NOTHING", (self._address.name,))
            rows = raw.execute("SELECT id FROM workspace WHERE name = %s", (self._address.name,)).fetchall()
            return int(rows[0][0])

    def _claim(self) -> None:
        """Claim a new workspace for the embedding model, and refuse one that another model filled."""
        if self._embedder is None:
            return
        with self._pool.connection() as raw, self._transaction(raw) as connection:
            connection.execute(
                "INSERT INTO meta (key, value) VALUES ('embedder', ?) ON CONFLICT DO NOTHING", (self._embedder,)
            )
            filled_with = meta(connection, "embedder")
        if filled_with != self._embedder:
            raise EmbedderMismatch(
                f"{self._address} was filled with the embedding model {filled_with},"
                f" the settings name {self._embedder}",
                "polyadic reembed changes what it holds, or set [embedding] back",
            )

    def _check_still_mine(self, connection: PostgresConnection) -> None:
        check_whole(connection, self._address)
        filled_with = meta(connection, "embedder")
        if self._embedder is not None and filled_with not in (None, self._embedder):
            raise EmbedderMismatch(
                f"{self._address} was changed from the embedding model {self._embedder} to {filled_with} meanwhile",
                "start again with settings that name it, or polyadic reembed changes it back",
            )

    def _key(self, lock: int) -> int:
        return self._workspace * _LOCKS + lock

    def _busy(self, lock: int = _ALONE) -> StoreBusy:
        if lock == _GATHERING:
            what = f"the embedding model of {self._address} is being changed already"
            return StoreBusy(what, "wait for that to end first")
        return StoreBusy(f"another process is writing to {self._address}", "wait for it to end, then run this again")


def by_key(connection: Connection) -> tuple[Integers, int]:
    """The numbering of the entities of the hierarchy: their keys, as everywhere in this store."""
    keys = np.array(connection.execute("SELECT id FROM entity ORDER BY digest").fetchall(), dtype=np.int64).reshape(-1)
    return keys, int(keys.max(initial=-1)) + 1


def _locked(raw: Raw, function: str, key: int) -> bool:
    row = raw.execute(f"SELECT {function}(%s)".encode(), (key,)).fetchone()
    return bool(row and row[0])
