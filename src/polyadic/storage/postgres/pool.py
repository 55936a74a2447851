"""Connections to a database, shared by all workspaces of a process: pools, and what each connection is told first."""

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

from polyadic.storage.postgres import backoff
from polyadic.storage.postgres.connection import adapt
from polyadic.storage.postgres.keepalive import BackendSession, KeepaliveConnection
from polyadic.storage.postgres.migrations import migrate
from polyadic.storage.postgres.schema import ROLE, SCHEMA

MOST_CONNECTIONS = 16
"""Of one process to one database."""
MOST_READING = 12
"""Of these: who reads may have to write before it has read to its end, and must not wait for others who do the same."""
# A host that does not answer is given up within half a minute, by both sides; what the address says comes first.
_BOUNDS = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}
_BOUNDS_OF_SERVER = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 4}

_TRIED = 1.0
"""Seconds for which a pool tries to make a connection by itself: it would try ever more rarely."""

# What psycopg has to say is said by errors; without a handler its warnings would appear beside them.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Raw = KeepaliveConnection


class PoolExhausted(PoolTimeout):
    """All connections that a process may have are in use."""


class ServerUnreachable(psycopg.OperationalError):
    """No connection can be made."""


class DatabasePool(ConnectionPool[Raw]):
    """The connections of this process to one database, in which the tables are."""

    def __init__(self, database: str) -> None:
        self._database = _bounded(database)
        with contextlib.closing(self.aside()) as connection:
            self._introduce(connection)
            migrate(connection)
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
            reconnect_timeout=_TRIED,
        )

    def aside(self) -> Raw:
        """A connection of its own, which acts as the user; it waits for a server that is starting.

        Raises
        ------
        Unreachable
            There is none.
        """
        for _ in backoff.pauses(backoff.WAITED):
            try:
                return KeepaliveConnection.connect(self._database, autocommit=True)
            except psycopg.OperationalError as error:
                trouble = ServerUnreachable(str(error))
                if not is_starting(error):
                    break
        raise trouble

    def getconn(self, timeout: float | None = None) -> Raw:
        """One that works: those that were lost meanwhile are put away, and a server that is away is tried again."""
        return self._one(self.check_connection, timeout)

    def untried(self) -> Raw:
        """One that may have been lost meanwhile, for who takes another then."""
        return self._one(lambda connection: None)

    def _one(self, check: Callable[[Raw], None], timeout: float | None = None) -> Raw:
        trouble: psycopg.Error = PoolTimeout()
        for _ in backoff.pauses(backoff.WAITED if timeout is None else timeout):
            try:
                connection = super().getconn(_TRIED)
            except PoolTimeout as error:
                trouble = error
                continue
            try:
                check(connection)
            except psycopg.Error as error:
                trouble = error
                self.putconn(connection)
            else:
                return connection
        raise self._why(trouble) from trouble

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """A turn among those who read.

        Raises
        ------
        Exhausted
            Others have been reading for all the time that one waits.
        """
        if not self._reading.acquire(timeout=backoff.WAITED):
            raise PoolExhausted(
                f"others of this process have been using its connections for {backoff.WAITED:.0f} seconds"
            )
        try:
            yield
        finally:
            self._reading.release()

    def end(self, session: BackendSession | None) -> None:
        """Have the server end a session that nobody uses any more, so that it lets go of what it holds."""
        if session is not None:
            with contextlib.closing(self.aside()) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND backend_start = %s",
                    (session.process, session.begun),
                )

    def _is_at_work(self, session: BackendSession) -> bool:
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
        settings = "".join(f"SET {name} = {value};" for name, value in _BOUNDS_OF_SERVER.items())
        connection.execute(f"{settings} SET search_path = {SCHEMA}, public".encode())
        if self._introduce(connection):
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
        adapt(connection)

    def _introduce(self, connection: Raw) -> bool:
        """Let a connection know what the server knows it by; whether row-level security does not bind its user."""
        ((process, begun, is_unbound),) = connection.execute(
            "SELECT a.pid, a.backend_start, r.rolsuper OR r.rolbypassrls FROM pg_stat_activity a, pg_roles r"
            " WHERE a.pid = pg_backend_pid() AND r.rolname = current_user"
        ).fetchall()
        connection.session, connection.is_at_work = BackendSession(process, begun), self._is_at_work
        return bool(is_unbound)

    def _why(self, error: psycopg.Error) -> psycopg.Error:
        """Why there was no connection within the time that one waits."""
        stats = self.get_stats()
        if stats["pool_size"] >= self.max_size and not stats["pool_available"]:
            return PoolExhausted(f"all {self.max_size} connections of this process are in use")
        try:
            self.aside().close()
        except ServerUnreachable as why:
            return why
        return error


class PoolRegistry:
    """One pool a database, closed when nobody uses it any more."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._pools: dict[str, tuple[DatabasePool, int]] = {}

    def take(self, database: str) -> DatabasePool:
        """The pool of a database, whose tables are there and of this version."""
        with self._changing:
            pool, users = self._pools.get(database) or (DatabasePool(database), 0)
            self._pools[database] = (pool, users + 1)
        return pool

    @contextlib.contextmanager
    def used(self, database: str) -> Iterator[DatabasePool]:
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


POOLS = PoolRegistry()


def is_starting(error: psycopg.Error) -> bool:
    """Whether a server refuses connections only because it is starting, stopping or recovering."""
    return isinstance(error, errors.CannotConnectNow) or "the database system is " in str(error)


def _bounded(database: str) -> str:
    """The address of a database with bounds to how long is waited for it, where it says nothing of them itself."""
    given: dict[str, Any] = conninfo_to_dict(database)
    bounds = _BOUNDS if "PGCONNECT_TIMEOUT" not in os.environ else {**_BOUNDS, "connect_timeout": None}
    return make_conninfo("", **{name: value for name, value in (bounds | given).items() if value is not None})
