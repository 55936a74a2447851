"""Connections to a database, shared by all workspaces of a process: pools, the role they act as, migrations, errors."""

import contextlib
import re
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg_pool import ConnectionPool, PoolTimeout

from polyadic.errors import StoreError
from polyadic.store.postgres.connection import adapt
from polyadic.store.postgres.schema import MIGRATIONS, ROLE, SCHEMA, VERSION

MOST_CONNECTIONS = 16
"""Of one process to one database."""
WAITED = 30.0
"""Seconds to wait for a connection."""
_MIGRATING = 0x506F6C79
_MAKE_DATABASE = "make the database first, or name one that is there"
_SEE_TO_USER = "see to the user and the password in the address"
_NO_CONNECTION_LEFT = "the server has no connection left: raise its max_connections, or use a pooler"
_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (PoolTimeout, "all connections of this process are in use, or the server answers none; try again, or ask it less"),
    (errors.TooManyConnections, _NO_CONNECTION_LEFT),
    (errors.DiskFull, "make room on the server's disk, then run this again; nothing that was finished is lost"),
    (errors.InsufficientPrivilege, "the user needs the right to create a schema in the database, or one who has it"),
    (errors.UndefinedFile, "install pgvector on the server"),
    (errors.ReadOnlySqlTransaction, "name the server that is written to, not a standby"),
    (psycopg.OperationalError, "see that the server runs and can be reached, then run this again"),
)
# While a connection is made there is no code for what is the matter, only words.
_WORDS = (
    (re.compile(r'database ".*" does not exist'), _MAKE_DATABASE),
    (re.compile(r'authentication failed|role ".*" does not exist'), _SEE_TO_USER),
    (re.compile("too many clients|remaining connection slots"), _NO_CONNECTION_LEFT),
)
_DEFAULT_HINT = "run this again; if it comes again, it is an error of Polyadic's"

Raw = psycopg.Connection[tuple[Any, ...]]


class Pools:
    """One pool a database, closed when nobody uses it any more."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._pools: dict[str, tuple[ConnectionPool[Raw], int]] = {}

    def take(self, database: str) -> ConnectionPool[Raw]:
        """The pool of a database, whose tables are there and of this version."""
        with self._changing:
            pool, users = self._pools.get(database) or (self._opened(database), 0)
            self._pools[database] = (pool, users + 1)
        return pool

    @contextlib.contextmanager
    def used(self, database: str) -> Iterator[ConnectionPool[Raw]]:
        """The pool of a database as long as the context lasts."""
        pool = self.take(database)
        try:
            yield pool
        finally:
            self.give_back(database)

    def give_back(self, database: str) -> None:
        with self._changing:
            pool, users = self._pools.pop(database)
            if users > 1:
                self._pools[database] = (pool, users - 1)
                return
        pool.close()

    def _opened(self, database: str) -> ConnectionPool[Raw]:
        with psycopg.connect(database, autocommit=True) as connection:
            _migrate(connection)
        return ConnectionPool(
            database,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=WAITED,
            open=True,
            kwargs={"autocommit": True},
            configure=_configure,
            check=ConnectionPool.check_connection,
        )


POOLS = Pools()


@contextlib.contextmanager
def explained(where: object) -> Iterator[None]:
    """Errors of PostgreSQL within, told as what is the matter with the store and what to do."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        raise StoreError(f"{where} cannot be used ({_said(error)})", _hint(error)) from error


def _hint(error: Exception) -> str:
    by_words = [hint for words, hint in _WORDS if words.search(str(error))]
    by_kind = [hint for kind, hint in _HINTS if isinstance(error, kind)]
    return [*by_words, *by_kind, _DEFAULT_HINT][0]


def _said(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _configure(connection: Raw) -> None:
    connection.execute(sql.SQL("SET search_path = {}, public").format(sql.Identifier(SCHEMA)))
    if _bypasses(connection):
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
    adapt(connection)


def _bypasses(connection: Raw) -> bool:
    """Whether row-level security does not bind the user of a connection."""
    row = connection.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
    return bool(row and row[0])


def _migrate(connection: Raw) -> None:
    """Make the tables, or bring them forward; of several who come at once one does."""
    if _version(connection) == VERSION:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        before = _version(connection)
        if before > VERSION:
            raise StoreError(
                f"the database was written by a newer Polyadic (version {before}, this one knows {VERSION})",
                "upgrade Polyadic",
            )
        if before == 0:
            _begin(connection)
        connection.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        known = tables(connection)
        for script in MIGRATIONS[before:]:
            connection.execute(script.encode())
        for table in sorted(tables(connection) - known):
            connection.execute("SELECT isolate(%s)", (table,))
        connection.execute("UPDATE version SET number = %s", (VERSION,))


def _begin(connection: Raw) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
    connection.execute(f"CREATE TABLE {SCHEMA}.version (number bigint NOT NULL)".encode())
    connection.execute(f"INSERT INTO {SCHEMA}.version VALUES (0)".encode())
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone() is None:
        connection.execute(f"CREATE ROLE {ROLE} NOLOGIN".encode())
    connection.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE}".encode())


def _version(connection: Raw) -> int:
    if connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.version",)).fetchone() == (None,):
        return 0
    row = connection.execute(f"SELECT number FROM {SCHEMA}.version".encode()).fetchone()
    return int(row[0]) if row else 0


def tables(connection: Raw) -> set[str]:
    """Tables that belong to workspaces."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'"
        " WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'p')",
        (SCHEMA,),
    )
    return {name for (name,) in rows}
