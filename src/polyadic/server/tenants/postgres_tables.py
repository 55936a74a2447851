"""What servers keep in a database beside its workspaces: the tables, and connections to them.

They are in a schema of their own, out of reach of whoever works in a workspace. What belongs to a workspace goes with
it, also where another program removes it.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool

from polyadic.errors import StoreError
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.pool import POOLS
from polyadic.storage.postgres.schema import SCHEMA

T = TypeVar("T")
Raw = psycopg.Connection[tuple[Any, ...]]
OWN_SCHEMA = "polyadic_server"

_JOBS = f"""
CREATE TABLE job (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    workspace bigint NOT NULL REFERENCES {SCHEMA}.workspace ON DELETE CASCADE,
    wish text NOT NULL,
    state text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,
    created text NOT NULL,
    started text NOT NULL,
    ended text NOT NULL,
    attempts bigint NOT NULL,
    reached text NOT NULL,
    report text NOT NULL,
    problem text NOT NULL,
    unwanted boolean NOT NULL DEFAULT false     -- somebody asked for its end
);
CREATE INDEX ON job (workspace, number);
CREATE INDEX ON job (workspace, number) WHERE state IN ('queued', 'running');

-- What was handed in: files in parts, by the name that each has in the folder of its job.
CREATE TABLE handed_in (
    job text COLLATE "C",
    file text COLLATE "C",
    part bigint,
    data bytea NOT NULL,
    workspace bigint NOT NULL REFERENCES {SCHEMA}.workspace ON DELETE CASCADE,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, file, part)
);
CREATE INDEX ON handed_in (workspace);
-- Most of it is packed already.
ALTER TABLE handed_in ALTER data SET STORAGE EXTERNAL;
"""
MIGRATIONS = (_JOBS,)
"""One script a version, never edited once released."""

_MAKING = 0x506F6C7A
_CONNECTIONS = 4
_WAITED = 5.0
# A server that is gone without a word, as where its power went, is let go of within half a minute.
_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 25_000}
_ALIVE_THERE = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"


class TenantTables:
    """Connections to the tables, which are made where there are none, or brought forward.

    Parameters
    ----------
    database
        Its address.

    Raises
    ------
    StoreError
        The database cannot be used, or was written by a newer version.
    """

    def __init__(self, database: str) -> None:
        self.database = database
        self.called = str(PostgresDsn.of(database)).partition("#")[0]
        with translate_errors(self.called):
            # Those of the workspaces come first; that pool is kept for when one is opened.
            POOLS.take(database)
            try:
                with psycopg.connect(database, autocommit=True) as raw:
                    _migrate(raw)
            except BaseException:
                POOLS.give_back(database)
                raise
        self._threads = ThreadPoolExecutor(_CONNECTIONS, "polyadic-database")
        self._pool = ConnectionPool[Raw](
            database,
            min_size=0,
            max_size=_CONNECTIONS,
            timeout=_WAITED,
            open=True,
            kwargs={"autocommit": True, **_ALIVE},
            configure=_configure,
            check=ConnectionPool.check_connection,
        )

    async def run(self, work: Callable[[Raw], T]) -> T:
        """What work on a connection returns, done on another thread; StoreError where the database cannot be used."""
        return await self.aside(partial(self.done, work))

    def done(self, work: Callable[[Raw], T]) -> T:
        """As :meth:`run`, on this thread."""
        with translate_errors(self.called), self._pool.connection() as raw:
            return work(raw)

    async def aside(self, work: Callable[[], T]) -> T:
        """What work returns, done on another thread that nothing else of this process has to wait for."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def connected(self) -> Raw:
        """A connection of its own, for locks that are to last; psycopg's errors where there is none."""
        raw = psycopg.connect(self.database, autocommit=True, **_ALIVE)  # type: ignore[arg-type]
        _configure(raw)
        return raw

    def close(self) -> None:
        """Let go of all connections."""
        self._threads.shutdown()
        self._pool.close()
        POOLS.give_back(self.database)


def _configure(raw: Raw) -> None:
    path = sql.SQL(", ").join(map(sql.Identifier, (OWN_SCHEMA, SCHEMA, "public")))
    raw.execute(sql.SQL("SET search_path = {}").format(path))
    raw.execute(_ALIVE_THERE)


def _migrate(raw: Raw) -> None:
    """Make the tables, or bring them forward; of several servers that come at once one does."""
    with raw.transaction():
        raw.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
        if raw.execute("SELECT to_regclass(%s)", (f"{OWN_SCHEMA}.version",)).fetchone() == (None,):
            raw.execute(f"CREATE SCHEMA IF NOT EXISTS {OWN_SCHEMA}".encode())
            raw.execute(f"CREATE TABLE {OWN_SCHEMA}.version AS SELECT 0::bigint AS number".encode())
        row = raw.execute(f"SELECT number FROM {OWN_SCHEMA}.version".encode()).fetchone()
        before = int(row[0]) if row else 0
        if before > len(MIGRATIONS):
            raise StoreError("a newer Polyadic has served this database", "upgrade Polyadic")
        raw.execute(f"SET LOCAL search_path = {OWN_SCHEMA}".encode())
        for script in MIGRATIONS[before:]:
            raw.execute(script.encode())
        raw.execute("UPDATE version SET number = %s", (len(MIGRATIONS),))
