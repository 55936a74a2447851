"""Transactions whose connection may be lost: a commit, and a read-only snapshot of one committed state.

If the connection of a snapshot is lost, reading goes on over a new one, provided that the store is unchanged: states
have names, and table keys are stable within a state.
"""

import contextlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psycopg

from polyadic.errors import StoreError, StoreInterrupted
from polyadic.storage.connection import Cursor
from polyadic.storage.postgres.backoff import pauses, retried
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.errors import is_lost
from polyadic.storage.postgres.keepalive import BackendSession, KeepaliveConnection
from polyadic.storage.postgres.pool import DatabasePool
from polyadic.storage.sql import change_log
from polyadic.storage.sql.hierarchy_tables import GENERATION as HIERARCHY
from polyadic.storage.sql.meta import COPYING, EMBEDDER
from polyadic.storage.table import RowChange

_STATE_KEYS = (EMBEDDER, COPYING, change_log.GENERATION, HIERARCHY)
_STATE_SQL = f"SELECT key, value FROM meta WHERE key IN ({', '.join(repr(key) for key in _STATE_KEYS)})"


def commit(connection: PostgresConnection, where: object) -> None:
    """Commit the transaction of a connection; if the connection is lost meanwhile, ask the server for the outcome.

    Raises
    ------
    psycopg.Error
        The transaction was not committed.
    StoreError
        The outcome is unknown.
    """
    # None for a transaction that changed nothing: its outcome does not matter.
    ((transaction_id,),) = connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchall()
    try:
        connection.execute("COMMIT")
    except psycopg.Error as error:
        if not is_lost(error) or connection.session is None:
            raise
        if transaction_id is not None and not _was_committed(transaction_id, connection.session, where):
            raise


def _was_committed(transaction_id: str, session: BackendSession, where: object) -> bool:
    for _ in pauses():
        with contextlib.suppress(psycopg.Error):
            # It must not commit after its status was read.
            session.end()
            with contextlib.closing(KeepaliveConnection.open(session.parameters)) as connection:
                ((status,),) = connection.execute("SELECT pg_xact_status(%s::xid8)", (transaction_id,)).fetchall()
            if status in ("committed", "aborted"):
                return bool(status == "committed")
    raise StoreError(
        f"the connection to {where} was lost during a commit, and its outcome is unknown",
        "run this again when the server is reachable; it skips what was committed",
    )


class SnapshotConnection:
    """Implements :class:`polyadic.storage.connection.Connection` for reading only.

    Parameters
    ----------
    begin
        SQL that begins a transaction which sees one state of one workspace.

    Attributes
    ----------
    embedder
        Embedding model of the store's vectors; empty if none is set.
    copying
        State of the source of an unfinished copy; empty if the store is complete.
    """

    def __init__(self, pool: DatabasePool, begin: str, where: object) -> None:
        self._pool = pool
        self._begin = begin
        self._where = where
        self._lock = threading.Lock()
        self._state: list[str] = []
        # Not checked beforehand: if it was lost meanwhile, it is replaced when the state is read.
        self._connection = pool.untried()
        try:
            self._state = retried(self._begin_transaction, self._reconnect)
            self.embedder, self.copying, *_ = self._state
        except BaseException:
            self.close()
            raise

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        with self._lock:
            return retried(lambda: self._connection.execute(sql, parameters), self._reconnect)

    def change(self, change: RowChange, rows: Iterable[Sequence[Any]], /) -> None:
        raise NotImplementedError("a snapshot is read-only")

    def conditions(self, values: Sequence[Any], /) -> Iterator[tuple[str, Sequence[Any]]]:
        return self._connection.conditions(values)

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            self._connection.execute("ROLLBACK")
        self._pool.putconn(self._connection)

    def _reconnect(self) -> None:
        """Continue to read the same state over another connection.

        Raises
        ------
        StoreInterrupted
            The store was changed meanwhile.
        """
        fresh = self._pool.getconn()
        self._pool.putconn(self._connection)
        self._connection = fresh
        if self._state and self._begin_transaction() != self._state:
            what = f"{self._where} was changed after the connection that read it was lost"
            raise StoreInterrupted(what, "repeat the query")

    def _begin_transaction(self) -> list[str]:
        """Begin a transaction; return the values that identify its state, in the order of _STATE_KEYS."""
        cursor = self._connection.execute(f"{self._begin}; {_STATE_SQL}".encode())
        while cursor.nextset():
            pass
        values = dict(cursor.fetchall())
        return [values.get(key, "") for key in _STATE_KEYS]
