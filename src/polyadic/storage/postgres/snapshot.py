"""One committed state, read over as many connections as that takes.

Where a connection is lost while it is read, the next one begins where it ended, provided that nothing has been changed
meanwhile: states have names, and keys of the tables stay what they are as long as the state does.
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
from polyadic.storage.sql.embedding_model import EMBEDDER
from polyadic.storage.sql.hierarchy_tables import GENERATION as HIERARCHY
from polyadic.storage.sql.transfer import COPYING

T = TypeVar("T")
_STATE = (EMBEDDER, COPYING, change_log.GENERATION, HIERARCHY)
_STATE_SQL = f"SELECT key, value FROM meta WHERE key IN ({', '.join(repr(key) for key in _STATE)})"


class SnapshotConnection:
    """Implements :class:`polyadic.storage.connection.Connection` for who only reads.

    ``begin`` are statements that begin a transaction which sees one state of one workspace.
    """

    def __init__(self, pool: DatabasePool, begin: str, where: object) -> None:
        self._pool = pool
        self._begin = begin
        self._where = where
        self._one_at_a_time = threading.Lock()
        self._state: list[str] = []
        # Not tried beforehand: if it was lost meanwhile, another takes its place when the state is read.
        self._raw = pool.untried()
        try:
            self._state = self._lasting(self._begun)
        except BaseException:
            self.close()
            raise

    @property
    def embedder(self) -> str:
        """The model that filled the store; empty where none has."""
        return self._state[0]

    @property
    def copying(self) -> str:
        """The state of which the store has a part; empty where it is whole."""
        return self._state[1]

    @classmethod
    @contextlib.contextmanager
    def of(cls, pool: DatabasePool, begin: str, where: object) -> "Iterator[SnapshotConnection]":
        """The last committed state, as long as the context lasts."""
        with pool.reading(), contextlib.closing(cls(pool, begin, where)) as snapshot:
            yield snapshot

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        with self._one_at_a_time:
            return self._lasting(lambda: PostgresConnection(self._raw).execute(sql, parameters))

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        raise NotImplementedError("who reads a state writes nothing")

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            self._raw.execute("ROLLBACK")
        self._pool.putconn(self._raw)

    def _lasting(self, ask: Callable[[], T]) -> T:
        """What is found, over another connection where this one is lost."""
        for number, _ in enumerate(pauses(WAITED)):
            try:
                if number:
                    self._renew()
                return ask()
            except psycopg.Error as error:
                if not is_lost(error):
                    raise
                lost = error
        raise lost

    def _renew(self) -> None:
        """Read the same state over another connection.

        Raises
        ------
        StoreInterrupted
            There is another state now.
        """
        fresh = self._pool.getconn()
        self._pool.putconn(self._raw)
        self._raw = fresh
        if self._state and self._begun() != self._state:
            what = f"{self._where} was changed while the connection over which it was being read was lost"
            raise StoreInterrupted(what, "ask again")

    def _begun(self) -> list[str]:
        """Begin to read: what tells this state from others, its embedding model first."""
        told = self._raw.execute(f"{self._begin}; {_STATE_SQL}".encode())
        while told.nextset():
            pass
        found = dict(told.fetchall())
        return [found.get(key, "") for key in _STATE]
