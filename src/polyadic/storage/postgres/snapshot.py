"""Read-only snapshot of one committed state that survives lost connections.

If a connection is lost, reading goes on over a new one, provided that the store is unchanged: states have names, and
table keys are stable within a state.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import psycopg

from polyadic.errors import StoreInterrupted
from polyadic.storage.connection import Cursor
from polyadic.storage.postgres.backoff import WAITED, pauses
from polyadic.storage.postgres.connection import PostgresConnection
from polyadic.storage.postgres.errors import is_lost
from polyadic.storage.postgres.pool import DatabasePool
from polyadic.storage.sql import change_log
from polyadic.storage.sql.hierarchy_tables import GENERATION as HIERARCHY
from polyadic.storage.sql.meta import COPYING, EMBEDDER
from polyadic.storage.table import RowChange

T = TypeVar("T")
_STATE_KEYS = (EMBEDDER, COPYING, change_log.GENERATION, HIERARCHY)
_STATE_SQL = f"SELECT key, value FROM meta WHERE key IN ({', '.join(repr(key) for key in _STATE_KEYS)})"


class SnapshotConnection:
    """Implements :class:`polyadic.storage.connection.Connection` for reading only.

    ``begin`` is the SQL that begins a transaction which sees one state of one workspace.
    """

    def __init__(self, pool: DatabasePool, begin: str, where: object) -> None:
        self._pool = pool
        self._begin = begin
        self._where = where
        self._lock = threading.Lock()
        self._state: list[str] = []
        # Not checked beforehand: if it was lost meanwhile, it is replaced when the state is read.
        self._raw = pool.untried()
        try:
            self._state = self._with_reconnect(self._begin_transaction)
        except BaseException:
            self.close()
            raise

    @property
    def embedder(self) -> str:
        """Embedding model of the store's vectors; empty if none is set."""
        return self._state[0]

    @property
    def copying(self) -> str:
        """State of the source of an unfinished copy; empty if the store is complete."""
        return self._state[1]

    @classmethod
    @contextlib.contextmanager
    def of(cls, pool: DatabasePool, begin: str, where: object) -> "Iterator[SnapshotConnection]":
        """Read the last committed state for the duration of the context."""
        with pool.reading(), contextlib.closing(cls(pool, begin, where)) as snapshot:
            yield snapshot

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        with self._lock:
            return self._with_reconnect(lambda: PostgresConnection(self._raw).execute(sql, parameters))

    def change(self, change: RowChange, rows: Iterable[Sequence[Any]], /) -> None:
        raise NotImplementedError("a snapshot is read-only")

    def conditions(self, values: Sequence[Any], /) -> Iterator[tuple[str, Sequence[Any]]]:
        return PostgresConnection(self._raw).conditions(values)

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            self._raw.execute("ROLLBACK")
        self._pool.putconn(self._raw)

    def _with_reconnect(self, ask: Callable[[], T]) -> T:
        """Call ``ask``; if the connection is lost, retry over another one."""
        for number, _ in enumerate(pauses(WAITED)):
            try:
                if number:
                    self._reconnect()
                return ask()
            except psycopg.Error as error:
                if not is_lost(error):
                    raise
                lost = error
        raise lost

    def _reconnect(self) -> None:
        """Continue to read the same state over another connection.

        Raises
        ------
        StoreInterrupted
            The store was changed meanwhile.
        """
        fresh = self._pool.getconn()
        self._pool.putconn(self._raw)
        self._raw = fresh
        if self._state and self._begin_transaction() != self._state:
            what = f"{self._where} was changed after the connection that read it was lost"
            raise StoreInterrupted(what, "repeat the query")

    def _begin_transaction(self) -> list[str]:
        """Begin a transaction; return the values that identify its state, the embedding model first."""
        cursor = self._raw.execute(f"{self._begin}; {_STATE_SQL}".encode())
        while cursor.nextset():
            pass
        values = dict(cursor.fetchall())
        return [values.get(key, "") for key in _STATE_KEYS]
