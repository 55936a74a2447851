"""The SQLite store: one file a workspace, many readers, one writer (DESIGN: storage)."""

import contextlib
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from polyadic.errors import StoreBusy, StoreError
from polyadic.storage.leases import DocumentLeases, NoLeases
from polyadic.storage.memory.filtered_reader import FilteredReader
from polyadic.storage.memory.hierarchy_cache import HierarchyCache
from polyadic.storage.memory.reader import ArrayReader
from polyadic.storage.protocol import (
    CopySource,
    CopyTarget,
    LedgerCall,
    Reader,
    ReembeddingWriter,
    StagingWriter,
    ToRemember,
    Writer,
)
from polyadic.storage.sql import ledger
from polyadic.storage.sql.consistency_check import problems_of
from polyadic.storage.sql.embedding_model import EMBEDDER, check_claimed, check_still_claimed, claim
from polyadic.storage.sql.meta import meta, metas
from polyadic.storage.sql.reembedding import SqlReembeddingWriter
from polyadic.storage.sql.transfer import COPYING, SqlCopySource, check_whole
from polyadic.storage.sqlite.database import (
    BUSY_MILLISECONDS,
    WRITING_CACHE,
    connect,
    fingerprint,
    is_read_only,
    rolled_back,
    translate_errors,
)
from polyadic.storage.sqlite.filter_cache import FilterCache
from polyadic.storage.sqlite.full_text import SqliteWordIndex, SqliteWriter
from polyadic.storage.sqlite.snapshots import SnapshotManager
from polyadic.storage.sqlite.transfer import SqliteCopyTarget

_FILE = "store.sqlite"
_IDLE = 8
_MOST_TOLD = 20


class SqliteStore:
    """Implements :class:`polyadic.storage.protocol.Store` in a folder.

    Parameters
    ----------
    folder
        Where ``store.sqlite`` lies, and ``derived/``, which can be deleted at any time. A folder that cannot be written
        to can be read: what would be saved under ``derived/`` is then kept in memory.
    embedder
        Name of the model that fills the store with vectors; None for work that neither compares nor makes any.

    Raises
    ------
    StoreError
        The file is no store of ours, is damaged, or was written by a newer version.
    EmbedderMismatch
        Another model filled the store.
    """

    def __init__(self, folder: Path, embedder: str | None) -> None:
        _make(folder)
        self._folder = folder
        self._embedder = embedder
        self._path = folder / _FILE
        self._read_only = is_read_only(self._path)
        self._fingerprint = fingerprint(self._path) if self._read_only else ()
        self._writer = connect(self._path, WRITING_CACHE)
        self._idle: list[sqlite3.Connection] = []
        self._states = SnapshotManager(self._path, folder / "derived")
        self._scopes = FilterCache()
        self._themes = HierarchyCache()
        self._readers = threading.Lock()
        # Two locks: one for other processes, one for other threads and tasks of this one.
        self._between_processes = FileLock(folder / "writer.lock", thread_local=False)
        self._within_process = threading.Lock()
        # Transactions of this process wait for one another here: SQLite has them ask again and again, ever more rarely.
        self._turn = threading.Lock()
        self._holding: ContextVar[bool] = ContextVar("holding", default=False)
        try:
            with translate_errors(self._path):
                self._open()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether there is a store in a folder, without opening it."""
        return (folder / _FILE).is_file()

    @contextlib.contextmanager
    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> Iterator[Reader]:
        with self._snapshot() as connection:
            self._check_still_mine(connection)
            reader = self._reader(connection)
            yield reader if only is None else self._scoped_reader(connection, only(reader))

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        if self._holding.get():
            yield
            return
        self._acquire()
        token = self._holding.set(True)
        try:
            # It only tells others who writes: where there is no room for it, what is to be written will say so.
            with contextlib.suppress(OSError):
                (self._folder / "writer.pid").write_text(str(os.getpid()))
            yield
        finally:
            self._holding.reset(token)
            self._between_processes.release()
            self._within_process.release()

    @contextlib.contextmanager
    def joined(self) -> Iterator[DocumentLeases]:
        with self.exclusive():
            yield NoLeases()

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        return self.write()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with self.exclusive(), self._turn, translate_errors(self._path), _transaction(self._writer):
            self._check_still_mine(self._writer)
            yield SqliteWriter(self._writer)

    @contextlib.contextmanager
    def original(self) -> Iterator[CopySource]:
        with self._snapshot() as connection:
            yield SqlCopySource(connection, self._reader(connection), self._folder)

    @contextlib.contextmanager
    def duplicate(self) -> Iterator[CopyTarget]:
        with self.exclusive(), translate_errors(self._path):
            yield SqliteCopyTarget(self._writer, partial(_transaction, self._writer), self._folder)

    def note_calls(self, calls: Sequence[tuple[LedgerCall, ToRemember | None]]) -> None:
        self._check_writable()
        # Not the writer's connection: that may be in the middle of a transaction of another task of this thread.
        with self._turn_or_nearly(), translate_errors(self._path):
            connection = self._connection()
            try:
                connection.execute("BEGIN IMMEDIATE")
                ledger.enter_all(connection, calls)
                connection.execute("COMMIT")
            finally:
                self._give_back(connection)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        with self._snapshot() as connection:
            self._check_still_mine(connection)
            return ledger.remembered_of(connection, keys)

    def filled_with(self) -> str | None:
        with self._snapshot() as connection:
            return meta(connection, EMBEDDER)

    @contextlib.contextmanager
    def gathering(self, model: str) -> Iterator[ReembeddingWriter]:
        self._check_writable()
        lock = FileLock(self._folder / "reembedding.lock", thread_local=False)
        try:
            held = lock.acquire(timeout=0)
        except Timeout as error:
            what = f"the embedding model of {self._folder} is being changed already"
            raise StoreBusy(what, "wait for that to end first") from error
        with held, translate_errors(self._path):
            own = connect(self._path)
            with contextlib.closing(SqlReembeddingWriter(own, model, partial(_transaction, own))) as gathering:
                yield gathering

    def size(self) -> int:
        """Bytes on disk, of the store and of what is derived from it."""
        return _bytes_below(self._folder)

    def problems(self) -> list[str]:
        """Reads the whole store; see the protocol."""
        connection = self._connection()
        try:
            damaged = [row[0] for row in connection.execute(f"PRAGMA quick_check({_MOST_TOLD})") if row[0] != "ok"]
            if damaged:
                return damaged
            connection.execute("BEGIN")
            return problems_of(connection)
        except sqlite3.DatabaseError as error:
            return [str(error)]
        finally:
            connection.close()

    def close(self) -> None:
        self._states.close()
        # A reader elsewhere may be using the log; closing twice is as good as closing once.
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute("PRAGMA busy_timeout = 0")  # tidying up is not worth waiting for
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for connection in (*self._idle, self._writer):
            connection.close()
        self._idle.clear()

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """A transaction that reads one committed state."""
        with translate_errors(self._path):
            connection = self._connection()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)

    @contextlib.contextmanager
    def _turn_or_nearly(self) -> Iterator[None]:
        """After the transaction under way, or after a while: then SQLite says who holds the store."""
        held = self._turn.acquire(timeout=BUSY_MILLISECONDS / 1000)
        try:
            yield
        finally:
            if held:
                self._turn.release()

    def _check_writable(self) -> None:
        if self._read_only:
            raise StoreError(f"{self._folder} can be read and not written to", "make it writable, or use a copy of it")

    def _acquire(self) -> None:
        self._check_writable()
        if not self._within_process.acquire(blocking=False):
            raise StoreBusy(f"this process is already writing to {self._folder}", "wait for that to end first")
        try:
            self._between_processes.acquire(timeout=0)
        except Timeout as error:
            self._within_process.release()
            raise StoreBusy(
                f"another process{self._holder()} is writing to {self._folder}",
                "wait for it to end, then run this again",
            ) from error
        except BaseException:
            self._within_process.release()
            raise

    def _connection(self) -> sqlite3.Connection:
        with self._readers:
            if self._read_only and (now := fingerprint(self._path)) != self._fingerprint:
                # Others can write to it elsewhere, and a connection that needs no other file does not notice.
                self._fingerprint = now
                for connection in self._idle:
                    connection.close()
                self._idle.clear()
            if self._idle:
                return self._idle.pop()
        return connect(self._path)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        """Keep a connection for the next reader; some of them, as each holds files and pages of the store."""
        rolled_back(connection)
        with self._readers:
            if len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _reader(self, connection: sqlite3.Connection) -> Reader:
        return ArrayReader(
            connection,
            SqliteWordIndex(connection),
            lambda: self._states.of(connection),
            lambda: self._themes.state(connection).arrays(connection),
        )

    def _scoped_reader(self, connection: sqlite3.Connection, only: frozenset[str]) -> Reader:
        scope = self._scopes.of(connection, self._states.of(connection), only)
        themes = self._themes.state(connection)
        return FilteredReader(connection, SqliteWordIndex(connection), scope, lambda: themes.within(connection, scope))

    def _open(self) -> None:
        """Claim a new store for the embedding model, and refuse one that another model filled."""
        if self._embedder is None:
            return
        if meta(self._writer, EMBEDDER) is None and not self._read_only:
            with contextlib.suppress(StoreBusy), self.write():
                claim(self._writer, self._embedder)
                sql = "INSERT INTO meta (key, value) VALUES ('store', ?) ON CONFLICT DO NOTHING"
                self._writer.execute(sql, (secrets.token_hex(8),))
        check_claimed(meta(self._writer, EMBEDDER), self._embedder, self._folder)

    def _check_still_mine(self, connection: sqlite3.Connection) -> None:
        """Vectors of two models are never compared, also where the model was changed while the store is open."""
        copying, filled_with = metas(connection, (COPYING, EMBEDDER))
        check_whole(copying, self._folder)
        check_still_claimed(filled_with or None, self._embedder, self._folder)

    def _holder(self) -> str:
        with contextlib.suppress(OSError):
            pid = (self._folder / "writer.pid").read_text()
            return f" ({pid})" if pid else ""
        return ""


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One that writes, committed when its context is left without an exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        rolled_back(connection)
        raise


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be a workspace's folder ({error.strerror})", "choose another folder with -w"
        ) from error


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            # A reader may be replacing derived files meanwhile.
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
