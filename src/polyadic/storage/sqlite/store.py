"""SQLite store: one file per workspace, many readers, one writer."""

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
from polyadic.storage.arrays.filter_view import FilteredState, filtered
from polyadic.storage.arrays.filtered_reader import FilteredReader
from polyadic.storage.arrays.hierarchy_arrays import HierarchyCache
from polyadic.storage.arrays.reader import ArrayReader
from polyadic.storage.arrays.recent_values import RecentValues
from polyadic.storage.leases import DocumentLeases, NoLeases
from polyadic.storage.protocol import (
    CachedReply,
    CopySource,
    CopyTarget,
    LedgerCall,
    Reader,
    ReembeddingWriter,
    StagingWriter,
    Writer,
)
from polyadic.storage.sql import ledger
from polyadic.storage.sql.consistency_check import problems_of
from polyadic.storage.sql.meta import (
    COPYING,
    EMBEDDER,
    check_claimed,
    check_usable,
    meta,
    metas,
    put_if_missing,
)
from polyadic.storage.sqlite.array_cache import SnapshotManager
from polyadic.storage.sqlite.connection import SqliteConnection, roll_back
from polyadic.storage.sqlite.database import (
    BUSY_MILLISECONDS,
    WRITING_CACHE,
    connect,
    fingerprint,
    is_read_only,
    translate_errors,
)
from polyadic.storage.sqlite.full_text import SqliteCopyTarget, SqliteWordIndex, SqliteWriter

_FILE = "store.sqlite"
_MAX_IDLE = 8
_MAX_PROBLEMS = 20


class SqliteStore:
    """Store in a local folder; implements :class:`polyadic.storage.protocol.Store`.

    Parameters
    ----------
    folder
        Contains ``store.sqlite`` and ``derived/``, which can be deleted at any time. A folder without write permission
        can be read; derived files are then kept in memory.
    embedder
        Name of the embedding model of the store's vectors; None for work that neither compares nor creates any.

    Raises
    ------
    StoreError
        The file is not a Polyadic store, is damaged, or was written by a newer version.
    EmbedderMismatch
        The store's vectors are those of another model.
    """

    def __init__(self, folder: Path, embedder: str | None) -> None:
        _create_folder(folder)
        self._folder = folder
        self._embedder = embedder
        self._path = folder / _FILE
        self._read_only = is_read_only(self._path)
        self._fingerprint = fingerprint(self._path) if self._read_only else ()
        self._writer = connect(self._path, WRITING_CACHE)
        self._idle: list[SqliteConnection] = []
        self._snapshots = SnapshotManager(self._path, folder / "derived")
        self._filters = RecentValues[frozenset[str], FilteredState]()
        self._hierarchies = HierarchyCache()
        self._pool_lock = threading.Lock()
        # Two locks: one for other processes, one for other threads and tasks of this one.
        self._process_lock = FileLock(folder / "writer.lock", thread_local=False)
        self._thread_lock = threading.Lock()
        # Serializes write transactions within this process: SQLite's own busy handler polls at ever longer intervals.
        self._transaction_lock = threading.Lock()
        self._has_lock: ContextVar[bool] = ContextVar("holding", default=False)
        try:
            with translate_errors(self._path):
                self._open()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def exists(folder: Path) -> bool:
        """Return whether a folder contains a store, without opening it."""
        return (folder / _FILE).is_file()

    @contextlib.contextmanager
    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> Iterator[Reader]:
        with self._snapshot() as connection:
            self._check_embedder(connection)
            reader = self._reader(connection)
            yield reader if only is None else self._filtered_reader(connection, only(reader))

    @contextlib.contextmanager
    def exclusive_session(self) -> Iterator[None]:
        if self._has_lock.get():
            yield
            return
        self._check_writable()
        with contextlib.ExitStack() as held:
            if not self._thread_lock.acquire(blocking=False):
                raise StoreBusy(f"this process is already writing to {self._folder}", "wait for that to end first")
            held.callback(self._thread_lock.release)
            try:
                held.enter_context(self._process_lock.acquire(timeout=0))
            except Timeout as error:
                message = f"another process{self._holder()} is writing to {self._folder}"
                raise StoreBusy(message, "wait for it to end, then run this again") from error
            held.callback(self._has_lock.reset, self._has_lock.set(True))
            # Only informs other processes who is writing; if the disk is full, the write itself reports it.
            with contextlib.suppress(OSError):
                (self._folder / "writer.pid").write_text(str(os.getpid()))
            yield

    @contextlib.contextmanager
    def indexing_session(self) -> Iterator[DocumentLeases]:
        with self.exclusive_session():
            yield NoLeases()

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        return self.write()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with self.exclusive_session(), self._transaction_lock, translate_errors(self._path), _transaction(self._writer):
            self._check_embedder(self._writer)
            yield SqliteWriter(self._writer)

    @contextlib.contextmanager
    def copy_source(self) -> Iterator[CopySource]:
        with self._snapshot() as connection:
            yield CopySource(connection, self._reader(connection), self._folder)

    @contextlib.contextmanager
    def copy_target(self) -> Iterator[CopyTarget]:
        with self.exclusive_session(), translate_errors(self._path):
            yield SqliteCopyTarget(self._writer, partial(_transaction, self._writer), self._folder)

    def record_calls(self, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
        self._check_writable()
        # Not the writer's connection: another task of this thread may have a transaction open on it.
        with self._after_transaction(), self._pooled() as connection, _transaction(connection):
            ledger.enter(connection, calls)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        with self._snapshot() as connection:
            self._check_embedder(connection)
            return ledger.cached_replies(connection, keys)

    def filled_with(self) -> str | None:
        with self._snapshot() as connection:
            return meta(connection, EMBEDDER)

    @contextlib.contextmanager
    def reembedding_session(self, model: str) -> Iterator[ReembeddingWriter]:
        self._check_writable()
        lock = FileLock(self._folder / "reembedding.lock", thread_local=False)
        try:
            held = lock.acquire(timeout=0)
        except Timeout as error:
            message = f"the embedding model of {self._folder} is being changed already"
            raise StoreBusy(message, "wait for that to end first") from error
        with held, translate_errors(self._path):
            own = connect(self._path)
            with contextlib.closing(ReembeddingWriter(own, model, partial(_transaction, own))) as gathering:
                yield gathering

    def size(self) -> int:
        """Return the bytes on disk of the store and its derived files."""
        return _folder_size(self._folder)

    def problems(self) -> list[str]:
        """Check the whole store; see :meth:`polyadic.storage.protocol.Store.problems`."""
        with contextlib.closing(self._connection()) as connection:
            try:
                checks = connection.execute(f"PRAGMA quick_check({_MAX_PROBLEMS})").fetchall()
                if errors := [check for (check,) in checks if check != "ok"]:
                    return errors
                connection.execute("BEGIN")
                return problems_of(connection)
            except sqlite3.DatabaseError as error:
                return [str(error)]

    def close(self) -> None:
        self._snapshots.close()
        # Another process may be reading the WAL, and close() may be called twice.
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute("PRAGMA busy_timeout = 0")  # the checkpoint is optional
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for connection in (*self._idle, self._writer):
            connection.close()
        self._idle.clear()

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[SqliteConnection]:
        """Open a read transaction on one committed state."""
        with self._pooled() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextlib.contextmanager
    def _pooled(self) -> Iterator[SqliteConnection]:
        """Use a connection of the pool; a transaction left open is rolled back."""
        with translate_errors(self._path):
            connection = self._connection()
            try:
                yield connection
            finally:
                roll_back(connection)
                with self._pool_lock:
                    # Each pooled connection holds open files and cached pages.
                    if is_kept := len(self._idle) < _MAX_IDLE:
                        self._idle.append(connection)
                if not is_kept:
                    connection.close()

    @contextlib.contextmanager
    def _after_transaction(self) -> Iterator[None]:
        """Wait for the current transaction, but not forever: after the timeout SQLite reports who holds the store."""
        held = self._transaction_lock.acquire(timeout=BUSY_MILLISECONDS / 1000)
        try:
            yield
        finally:
            if held:
                self._transaction_lock.release()

    def _check_writable(self) -> None:
        if self._read_only:
            raise StoreError(f"{self._folder} is read-only", "make it writable, or use a copy of it")

    def _connection(self) -> SqliteConnection:
        with self._pool_lock:
            if self._read_only and (now := fingerprint(self._path)) != self._fingerprint:
                # Others may have write access, and an immutable connection does not notice their changes.
                self._fingerprint = now
                for connection in self._idle:
                    connection.close()
                self._idle.clear()
            if self._idle:
                return self._idle.pop()
        return connect(self._path)

    def _reader(self, connection: SqliteConnection) -> Reader:
        return ArrayReader(
            connection,
            SqliteWordIndex(connection),
            lambda: self._snapshots.of(connection),
            lambda: self._hierarchies.arrays(connection),
        )

    def _filtered_reader(self, connection: SqliteConnection, only: frozenset[str]) -> Reader:
        state, words = self._snapshots.of(connection), SqliteWordIndex(connection)
        view = self._filters.get(state.name, only, lambda: filtered(connection, state, only))
        return FilteredReader(connection, words, view, lambda: self._hierarchies.within(connection, view))

    def _open(self) -> None:
        """Claim a new store for the embedding model, and reject one with another model's vectors."""
        if self._embedder is None:
            return
        if meta(self._writer, EMBEDDER) is None and not self._read_only:
            with contextlib.suppress(StoreBusy), self.write():
                put_if_missing(self._writer, EMBEDDER, self._embedder)
                put_if_missing(self._writer, "store", secrets.token_hex(8))
        check_claimed(meta(self._writer, EMBEDDER), self._embedder, self._folder)

    def _check_embedder(self, connection: SqliteConnection) -> None:
        """Raise EmbedderMismatch if the store has switched to another embedding model since it was opened."""
        copying, filled_with = metas(connection, (COPYING, EMBEDDER))
        check_usable(copying, filled_with, self._embedder, self._folder)

    def _holder(self) -> str:
        with contextlib.suppress(OSError):
            pid = (self._folder / "writer.pid").read_text()
            return f" ({pid})" if pid else ""
        return ""


@contextlib.contextmanager
def _transaction(connection: SqliteConnection) -> Iterator[None]:
    """Open a write transaction, committed when its context exits without an exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be a workspace's folder ({error.strerror})", "choose another folder with -w"
        ) from error


def _folder_size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            # A reader may replace derived files at the same time.
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
