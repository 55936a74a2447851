"""Tables for the server's own data in a database, and connections to them.

The tables are in their own schema, which users of a workspace cannot access. Rows of a workspace are deleted with it,
also when another program deletes it.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg import sql

from polyadic.errors import StoreError
from polyadic.server.tenants.database_monitor import DatabaseMonitor
from polyadic.storage.postgres.dsn import DEFAULT_NAME, PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.keepalive import parameters_of
from polyadic.storage.postgres.pool import SharedPool
from polyadic.storage.postgres.schema import SCHEMA

T = TypeVar("T")
Raw = psycopg.Connection[tuple[Any, ...]]
OWN_SCHEMA = "polyadic_server"

_JOBS = f"""
CREATE TABLE job (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    workspace bigint NOT NULL REFERENCES {SCHEMA}.workspace ON DELETE CASCADE,
    request text NOT NULL,
    state text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,
    created text NOT NULL,
    started text NOT NULL,
    ended text NOT NULL,
    attempts bigint NOT NULL,
    progress text NOT NULL,
    report text NOT NULL,
    problem text NOT NULL,
    cancel_requested boolean NOT NULL DEFAULT false
);
CREATE INDEX ON job (workspace, number);
CREATE INDEX ON job (workspace, number) WHERE state IN ('queued', 'running');

-- Uploaded files in parts, by the name that each has in the folder of its job.
CREATE TABLE upload (
    job text COLLATE "C",
    file text COLLATE "C",
    part bigint,
    data bytea NOT NULL,
    workspace bigint NOT NULL REFERENCES {SCHEMA}.workspace ON DELETE CASCADE,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, file, part)
);
CREATE INDEX ON upload (workspace);
-- Most of it is packed already.
ALTER TABLE upload ALTER data SET STORAGE EXTERNAL;
"""
MIGRATIONS = (_JOBS,)
"""One script per version, never edited after release."""

_MIGRATION_LOCK = 0x506F6C7A
_MAX_CONNECTIONS = 4
_SERVER_KEEPALIVE = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"


class TenantTables:
    """Connections to the server's tables, which are created or migrated as needed.

    Parameters
    ----------
    database
        Database URL.

    Raises
    ------
    StoreError
        The database is unavailable, or was written by a newer version.
    """

    def __init__(self, database: str) -> None:
        self.database = database
        self.called = str(PostgresDsn(database, DEFAULT_NAME)).partition("#")[0]
        with translate_errors(self.called), ExitStack() as held:
            # Creates the tables of the workspaces first; their pool is kept for later use.
            self.pool = held.enter_context(SharedPool(database))
            with psycopg.connect(parameters_of(database), autocommit=True) as raw:
                _migrate(raw)
            self._held = held.pop_all()
        self._threads = ThreadPoolExecutor(_MAX_CONNECTIONS, "polyadic-database")
        self._own = threading.local()
        self._opened: list[Raw] = []
        self.monitor = DatabaseMonitor(database, self.called)

    async def run(self, work: Callable[[Raw], T]) -> T:
        """Run work on a connection in another thread and return its result.

        Raises
        ------
        StoreError
            The database is unavailable.
        """
        return await self.run_in_pool(partial(self.done, work))

    def done(self, work: Callable[[Raw], T]) -> T:
        """Run work on the connection of this thread, as :meth:`run`; fail at once while the database is away."""
        if (failure := self.monitor.failure()) is not None:
            raise StoreError(failure.what, failure.next_step)
        with translate_errors(self.called):
            return work(self._connection())

    async def run_in_pool(self, work: Callable[[], T]) -> T:
        """Run work in a thread of the database pool and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def connected(self) -> Raw:
        """Open a separate connection for long-lived locks; raises psycopg's errors."""
        raw = psycopg.connect(parameters_of(self.database), autocommit=True)
        _configure(raw)
        return raw

    def close(self) -> None:
        """Close all connections."""
        self.monitor.close()
        self._threads.shutdown()
        for raw in self._opened:
            raw.close()
        self._held.close()

    def _connection(self) -> Raw:
        """Return the connection of this thread, or another one if it was lost."""
        raw: Raw | None = getattr(self._own, "raw", None)
        if raw is not None:
            try:
                raw.execute("SELECT 1")
            except psycopg.OperationalError:
                raw.close()
                self._opened.remove(raw)
                self._own.raw = None
            else:
                return raw
        self._own.raw = raw = self.connected()
        self._opened.append(raw)
        return raw


def _configure(raw: Raw) -> None:
    path = sql.SQL(", ").join(map(sql.Identifier, (OWN_SCHEMA, SCHEMA, "public")))
    raw.execute(sql.SQL("SET search_path = {}").format(path))
    raw.execute(_SERVER_KEEPALIVE)


def _migrate(raw: Raw) -> None:
    """Create or migrate the tables; if several servers start at once, one of them does."""
    with raw.transaction():
        raw.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
        if raw.execute("SELECT to_regclass(%s)", (f"{OWN_SCHEMA}.version",)).fetchone() == (None,):
            raw.execute(f"CREATE SCHEMA IF NOT EXISTS {OWN_SCHEMA}".encode())
            raw.execute(f"CREATE TABLE {OWN_SCHEMA}.version AS SELECT 0::bigint AS number".encode())
        row = raw.execute(f"SELECT number FROM {OWN_SCHEMA}.version".encode()).fetchone()
        before = int(row[0]) if row else 0
        if before > len(MIGRATIONS):
            raise StoreError("this database was used by a newer version of Polyadic", "upgrade Polyadic")
        raw.execute(f"SET LOCAL search_path = {OWN_SCHEMA}".encode())
        for script in MIGRATIONS[before:]:
            raw.execute(script.encode())
        raw.execute("UPDATE version SET number = %s", (len(MIGRATIONS),))
