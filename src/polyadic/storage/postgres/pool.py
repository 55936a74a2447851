"""Connection pools, one per database, shared by all workspaces of a process; setup of each new connection."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import ClassVar

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from polyadic.errors import StoreError
from polyadic.storage.postgres import backoff
from polyadic.storage.postgres.adapters import adapt
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.errors import POOL_BY_SESSION, PoolExhausted, ServerUnreachable, is_lasting
from polyadic.storage.postgres.keepalive import KeepaliveConnection, parameters_of
from polyadic.storage.postgres.migrations import check_version, migrate
from polyadic.storage.postgres.schema import ROLE, SCHEMA

MOST_CONNECTIONS = 16
"""Connections of one process to one database."""
MOST_READING = 12
"""Connections used for reading. The rest stays free for readers that write before they finish, so that these do not
wait for each other."""
_SETTINGS = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4;"
    f" SET search_path = {SCHEMA}, public"
)
_RECONNECT_SECONDS = 1.0
"""Seconds for which the pool itself retries a connection: its own pauses would grow too long."""

# psycopg's warnings repeat the errors that are raised; without a handler they would be printed as well.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class DatabasePool(ConnectionPool[PostgresConnection]):
    """Connection pool of this process for one database; creates or migrates the tables first."""

    def __init__(self, database: str) -> None:
        self.parameters = parameters_of(database)
        with contextlib.closing(self._open_when_started()) as connection:
            check_version(connection)
            self._check_pooler(connection)
            migrate(connection)
            # The pool would hide why it cannot set up its connections.
            self._configure(connection)
        self._reading = threading.BoundedSemaphore(MOST_READING)
        super().__init__(
            self.parameters,
            connection_class=PostgresConnection,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=backoff.WAITED,
            open=True,
            kwargs={"autocommit": True},
            configure=self._configure,
            reconnect_timeout=_RECONNECT_SECONDS,
        )

    def getconn(self, timeout: float | None = None) -> PostgresConnection:
        """Take a working connection: discard lost ones, and retry while the server is away."""
        return self._take(self.check_connection, timeout)

    def untried(self) -> PostgresConnection:
        """Take a connection without checking it, for callers that replace a lost one themselves."""
        return self._take(lambda connection: None)

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

    # steps of the above

    def _open_when_started(self) -> KeepaliveConnection:
        """Open a connection outside the pool that keeps the user's role; wait for a server that is starting."""
        for _ in backoff.pauses():
            try:
                return KeepaliveConnection.open(self.parameters)
            except ServerUnreachable as error:
                failure = error
                if "the database system is " not in str(error):
                    break
        raise failure

    def _check_pooler(self, connection: KeepaliveConnection) -> None:
        """Check that no pooler gives the same session of the server to two connections.

        Locks would be lost then, and settings of one workspace would reach another.

        Raises
        ------
        StoreError
            There is such a pooler.
        """
        with contextlib.closing(KeepaliveConnection.open(self.parameters)) as other:
            for one in (connection, other):
                one.identify(self.parameters)
            if other.session == connection.session:
                what = f"the connection pooler in front of the database {connection.info.dbname} pools by transaction"
                raise StoreError(what, f"{POOL_BY_SESSION}, or connect to PostgreSQL directly")

    def _configure(self, connection: KeepaliveConnection) -> None:
        connection.execute(_SETTINGS.encode())
        if connection.identify(self.parameters):
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
        adapt(connection)

    def _take(self, check: Callable[[PostgresConnection], None], timeout: float | None = None) -> PostgresConnection:
        for _ in backoff.pauses(timeout):
            try:
                connection = super().getconn(_RECONNECT_SECONDS)
            except PoolTimeout as error:
                failure = self._explain(error)
                if is_lasting(failure):
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

    def _explain(self, error: psycopg.Error) -> psycopg.Error:
        """Return the error that explains why no connection became available in time."""
        stats = self.get_stats()
        if stats["pool_size"] >= self.max_size and not stats["pool_available"]:
            return PoolExhausted(f"all {self.max_size} connections of this process are in use")
        try:
            with contextlib.closing(KeepaliveConnection.open(self.parameters)) as connection:
                self._configure(connection)
        except psycopg.OperationalError as unreachable:
            return ServerUnreachable(str(unreachable))
        except psycopg.Error as unusable:
            return unusable
        return error


class SharedPool:
    """Context of the pool of a database, which is opened for its first user and closed after its last."""

    _lock = threading.Lock()
    _pools: ClassVar[dict[str, tuple[DatabasePool, int]]] = {}
    """Pools by database, with the number of users of each."""

    def __init__(self, database: str) -> None:
        self._database = database

    def __enter__(self) -> DatabasePool:
        with self._lock:
            pool, users = self._pools.get(self._database) or (DatabasePool(self._database), 0)
            self._pools[self._database] = (pool, users + 1)
        return pool

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            pool, users = self._pools.pop(self._database)
            if users > 1:
                self._pools[self._database] = (pool, users - 1)
        if users == 1:
            pool.close()
