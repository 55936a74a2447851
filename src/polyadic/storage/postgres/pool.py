"""Connection pools, one per database, shared by all workspaces of a process; setup of each new connection."""

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from polyadic.errors import StoreError
from polyadic.storage.postgres import backoff
from polyadic.storage.postgres.connection import adapt
from polyadic.storage.postgres.connection_failures import failure_of
from polyadic.storage.postgres.keepalive import BackendSession, KeepaliveConnection
from polyadic.storage.postgres.migrations import migrate
from polyadic.storage.postgres.requirements import check_version
from polyadic.storage.postgres.schema_names import ROLE, SCHEMA

MOST_CONNECTIONS = 16
"""Connections of one process to one database."""
MOST_READING = 12
"""Connections used for reading. The rest stays free for readers that write before they finish, so that these do not
wait for each other."""
# Client and server give up an unresponsive peer within half a minute. Settings in the address take precedence.
_DEFAULTS = {
    # PGAPPNAME and application_name in the address replace it.
    "fallback_application_name": "polyadic",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}
_SERVER_KEEPALIVES = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 4}

POOL_BY_SESSION = "let it pool by session (PgBouncer: pool_mode = session)"
_RECONNECT_SECONDS = 1.0
"""Seconds for which the pool itself retries a connection: its own pauses would grow too long."""

# psycopg's warnings repeat the errors that are raised; without a handler they would be printed as well.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Raw = KeepaliveConnection


class PoolExhausted(PoolTimeout):
    """All connections that the process may open are in use."""


class ServerUnreachable(psycopg.OperationalError):
    """The server accepts no connection."""


class DatabasePool(ConnectionPool[Raw]):
    """Connection pool of this process for one database; creates or migrates the tables first."""

    def __init__(self, database: str) -> None:
        self._database = parameters_of(database)
        with contextlib.closing(self.aside()) as connection:
            check_version(connection)
            self._identify(connection)
            self._check_pooler(connection)
            migrate(connection)
            # The pool would hide why it cannot set up its connections.
            self._configure(connection)
        self._reading = threading.BoundedSemaphore(MOST_READING)
        super().__init__(
            self._database,
            connection_class=KeepaliveConnection,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=backoff.WAITED,
            open=True,
            kwargs={"autocommit": True},
            configure=self._configure,
            reconnect_timeout=_RECONNECT_SECONDS,
        )

    def _check_pooler(self, connection: Raw) -> None:
        """Check that no pooler gives the same session of the server to two connections.

        Locks would be lost then, and settings of one workspace would reach another.

        Raises
        ------
        StoreError
            There is such a pooler.
        """
        with contextlib.closing(self.aside()) as other:
            self._identify(other)
            if other.session == connection.session:
                what = f"the connection pooler in front of the database {connection.info.dbname} pools by transaction"
                raise StoreError(what, f"{POOL_BY_SESSION}, or connect to PostgreSQL directly")

    def aside(self) -> Raw:
        """Open a connection outside the pool that keeps the user's role; wait for a server that is starting.

        Raises
        ------
        ServerUnreachable
            The server accepts no connection.
        """
        for _ in backoff.pauses(backoff.WAITED):
            try:
                return KeepaliveConnection.connect(self._database, autocommit=True)
            except psycopg.OperationalError as error:
                failure = ServerUnreachable(str(error))
                if not is_starting(error):
                    break
        raise failure

    def getconn(self, timeout: float | None = None) -> Raw:
        """Take a working connection: discard lost ones, and retry while the server is away."""
        return self._checked_out(self.check_connection, timeout)

    def untried(self) -> Raw:
        """Take a connection without checking it, for callers that replace a lost one themselves."""
        return self._checked_out(lambda connection: None)

    def _checked_out(self, check: Callable[[Raw], None], timeout: float | None = None) -> Raw:
        failure: psycopg.Error = PoolTimeout()
        for _ in backoff.pauses(backoff.WAITED if timeout is None else timeout):
            try:
                connection = super().getconn(_RECONNECT_SECONDS)
            except PoolTimeout as error:
                failure = self._explain(error)
                if _lasts(failure):
                    break
                continue
            try:
                check(connection)
            except psycopg.Error as error:
                failure = error
                self.putconn(connection)
            else:
                return connection
        raise failure if isinstance(failure, ServerUnreachable | PoolExhausted) else self._explain(failure)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Limit concurrent readers to MOST_READING for the duration of the context.

        Raises
        ------
        PoolExhausted
            No reader finished within the waiting time.
        """
        if not self._reading.acquire(timeout=backoff.WAITED):
            raise PoolExhausted(
                f"all read connections of this process have been in use for {backoff.WAITED:.0f} seconds"
            )
        try:
            yield
        finally:
            self._reading.release()

    def end(self, session: BackendSession | None) -> None:
        """Terminate a session on the server that is no longer used, so that its locks are released."""
        if session is not None:
            with contextlib.closing(self.aside()) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND backend_start = %s",
                    (session.process, session.begun),
                )

    def _is_active(self, session: BackendSession) -> bool:
        try:
            with contextlib.closing(KeepaliveConnection.connect(self._database, autocommit=True)) as connection:
                row = connection.execute(
                    "SELECT state FROM pg_stat_activity WHERE pid = %s AND backend_start = %s",
                    (session.process, session.begun),
                ).fetchone()
        except psycopg.OperationalError:
            return False
        return row == ("active",)

    def _configure(self, connection: Raw) -> None:
        settings = "".join(f"SET {name} = {value};" for name, value in _SERVER_KEEPALIVES.items())
        connection.execute(f"{settings} SET search_path = {SCHEMA}, public".encode())
        if self._identify(connection):
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
        adapt(connection)

    def _identify(self, connection: Raw) -> bool:
        """Set the connection's backend session; return whether its user bypasses row-level security."""
        ((process, begun, bypasses_rls),) = connection.execute(
            "SELECT a.pid, a.backend_start, r.rolsuper OR r.rolbypassrls FROM pg_stat_activity a, pg_roles r"
            " WHERE a.pid = pg_backend_pid() AND r.rolname = current_user"
        ).fetchall()
        connection.session, connection.is_at_work = BackendSession(process, begun), self._is_active
        return bool(bypasses_rls)

    def _explain(self, error: psycopg.Error) -> psycopg.Error:
        """Return the error that explains why no connection became available in time."""
        stats = self.get_stats()
        if stats["pool_size"] >= self.max_size and not stats["pool_available"]:
            return PoolExhausted(f"all {self.max_size} connections of this process are in use")
        try:
            with contextlib.closing(KeepaliveConnection.connect(self._database, autocommit=True)) as connection:
                self._configure(connection)
        except psycopg.OperationalError as unreachable:
            return ServerUnreachable(str(unreachable))
        except psycopg.Error as unusable:
            return unusable
        return error


class PoolRegistry:
    """Pools by database, with use counts; a pool is closed when its last user gives it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[str, tuple[DatabasePool, int]] = {}

    def take(self, database: str) -> DatabasePool:
        """Return the pool of a database, opened if needed, and count one more user."""
        with self._lock:
            pool, users = self._pools.get(database) or (DatabasePool(database), 0)
            self._pools[database] = (pool, users + 1)
        return pool

    @contextlib.contextmanager
    def used(self, database: str) -> Iterator[DatabasePool]:
        """Use the pool of a database for the duration of the context."""
        pool = self.take(database)
        try:
            yield pool
        finally:
            self.give_back(database)

    def give_back(self, database: str) -> None:
        """Count one user less; close the pool when none is left."""
        with self._lock:
            pool, users = self._pools.pop(database)
            if users > 1:
                self._pools[database] = (pool, users - 1)
                return
        pool.close()


POOLS = PoolRegistry()


def is_starting(error: psycopg.Error) -> bool:
    """Return whether a server refuses connections only because it is starting, stopping or recovering."""
    return isinstance(error, errors.CannotConnectNow) or "the database system is " in str(error)


def _lasts(error: psycopg.Error) -> bool:
    """Return whether waiting is of no use."""
    if not isinstance(error, ServerUnreachable):
        return not isinstance(error, PoolTimeout)
    failure = failure_of(str(error))
    return failure is not None and failure.lasts


def parameters_of(database: str) -> str:
    """Return the parameters of a connection: those in the address of a database, and defaults for those it omits.

    Raises
    ------
    psycopg.ProgrammingError
        A parameter is invalid.
    """
    given: dict[str, Any] = conninfo_to_dict(database)
    defaults = _DEFAULTS if "PGCONNECT_TIMEOUT" not in os.environ else {**_DEFAULTS, "connect_timeout": None}
    return make_conninfo("", **{name: value for name, value in (defaults | given).items() if value is not None})
