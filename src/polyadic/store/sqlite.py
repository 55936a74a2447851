"""The SQLite store: one file a workspace, many readers, one writer (DESIGN: storage)."""

import contextlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from polyadic.errors import EmbedderMismatch, StoreBusy
from polyadic.store.database import connect
from polyadic.store.protocol import Reader, Writer
from polyadic.store.reader import SqliteReader
from polyadic.store.snapshot import Snapshot
from polyadic.store.writer import SqliteWriter

_FILE = "store.sqlite"


class SqliteStore:
    """Implements :class:`polyadic.store.protocol.Store` in a folder.

    Parameters
    ----------
    folder
        Where ``store.sqlite`` lies, and ``derived/``, which can be deleted at any time.
    embedder, dimension
        Which model fills the store, and the length of its vectors.

    Raises
    ------
    StoreError
        The file is no store of ours, is damaged, or was written by a newer version.
    EmbedderMismatch
        Another model filled the store.
    """

    def __init__(self, folder: Path, embedder: str, dimension: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._path = folder / _FILE
        self._dimension = dimension
        self._writer = connect(self._path)
        self._idle: list[sqlite3.Connection] = []
        self._lock = FileLock(folder / "writer.lock")
        self._snapshot: tuple[str, Snapshot] | None = None
        self._check_embedder(embedder)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether there is a store in a folder, without opening it."""
        return (folder / _FILE).is_file()

    @contextlib.contextmanager
    def read(self) -> Iterator[Reader]:
        connection = self._idle.pop() if self._idle else connect(self._path)
        try:
            connection.execute("BEGIN")
            yield SqliteReader(connection, self._current_snapshot(connection))
        finally:
            connection.execute("ROLLBACK")
            self._idle.append(connection)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreBusy(
                f"another process{self._holder()} is writing to {self._folder}",
                "wait for it to end, then run this again",
            ) from error
        try:
            if self._lock.lock_counter == 1:
                (self._folder / "writer.pid").write_text(str(os.getpid()))
            yield
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def write(self) -> Iterator[Writer]:
        with self.exclusive():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteWriter(self._writer)
                self._writer.execute("COMMIT")
            except BaseException:
                self._writer.execute("ROLLBACK")
                raise

    def size(self) -> int:
        """Bytes on disk, of the store and of what is derived from it."""
        return sum(file.stat().st_size for file in self._folder.rglob("*") if file.is_file())

    def close(self) -> None:
        # A reader elsewhere may be using the log; closing twice is as good as closing once.
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for connection in (*self._idle, self._writer):
            connection.close()
        self._idle.clear()

    def _current_snapshot(self, connection: sqlite3.Connection) -> Snapshot:
        stamp = "-".join(_meta(connection, key) or "0" for key in ("store", "generation"))
        if self._snapshot is None or self._snapshot[0] != stamp:
            self._snapshot = (stamp, self._load_or_build(connection, self._folder / "derived" / stamp))
        return self._snapshot[1]

    def _load_or_build(self, connection: sqlite3.Connection, folder: Path) -> Snapshot:
        try:
            return Snapshot.load(folder)
        except (OSError, ValueError, EOFError):
            # Missing or damaged: it is derived, so it is made again.
            shutil.rmtree(folder, ignore_errors=True)
        snapshot = Snapshot.build(connection, self._dimension)
        # A reader on a full or read-only disk still answers, only more slowly.
        with contextlib.suppress(OSError):
            snapshot.save(folder)
        return snapshot

    def _check_embedder(self, embedder: str) -> None:
        filled_with = _meta(self._writer, "embedder")
        if filled_with is None:
            with contextlib.suppress(StoreBusy), self.write():
                values = (("embedder", embedder), ("store", secrets.token_hex(8)))
                self._writer.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", values)
            filled_with = _meta(self._writer, "embedder") or embedder
        if filled_with != embedder:
            raise EmbedderMismatch(
                f"{self._folder} was filled with the embedding model {filled_with}, the settings name {embedder}",
                "set [embedding] model back, or index into a new workspace",
            )

    def _holder(self) -> str:
        try:
            return f" ({(self._folder / 'writer.pid').read_text()})"
        except OSError:
            return ""


def _meta(connection: sqlite3.Connection, key: str) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])
