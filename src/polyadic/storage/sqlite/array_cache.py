"""Cache of the current state's arrays: a base segment saved under ``derived/``, plus what has changed since.

A base is saved under the random name of its state, so one that does not belong to the store is never used. After too
many changes a new base is built in the background while queries are answered from the old one.
"""

import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path

from filelock import FileLock

from polyadic.errors import StoreError
from polyadic.storage.arrays.array_files import written_aside
from polyadic.storage.arrays.base import LAYOUT, Base
from polyadic.storage.arrays.builder import build
from polyadic.storage.arrays.state import StoreState
from polyadic.storage.sql import change_log
from polyadic.storage.sqlite.connection import SqliteConnection
from polyadic.storage.sqlite.database import connect, is_read_only

LEAST_CHANGED, MOST_CHANGED = 2_000, 25_000
SHARE_CHANGED = 0.125
"""A base is rebuilt when more than this share of its rows has changed, within these bounds: every query compares the
vectors of all changed rows."""


class SnapshotManager:
    """The current array state of one store, shared by threads."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = folder
        self._lock = threading.Lock()
        self._current: StoreState | None = None
        self._rebuilt: StoreState | None = None
        self._rebuild_thread: threading.Thread | None = None
        self._rebuild_failed = False

    def of(self, connection: SqliteConnection) -> StoreState:
        """Return the state of the connection's transaction."""
        name, number = change_log.present(connection)
        with self._lock:
            if self._current is None or self._current.name != name or self._rebuilt is not None:
                self._current = self._load(connection, name, number)
                self._rebuild_if_due(self._current)
            return self._current

    def close(self) -> None:
        """Wait for a rebuild in progress."""
        if self._rebuild_thread is not None:
            self._rebuild_thread.join()

    def _load(self, connection: SqliteConnection, name: str, number: int) -> StoreState:
        """Load the connection's state, which has this name, from the nearest earlier state."""
        rebuilt, self._rebuilt = self._rebuilt, None
        numbers = change_log.numbers(connection)
        reaching = (one for one in (rebuilt, self._current) if one is not None and one.name in numbers)
        earlier = next(reaching, None) or self._load_saved(connection, numbers)
        if earlier is None:
            return self._build(connection, name, number)
        return earlier if earlier.name == name else earlier.brought_forward(connection, name, number)

    def _load_saved(self, connection: SqliteConnection, numbers: Mapping[str, int]) -> StoreState | None:
        """Load the latest saved state from which the connection's state can be reached."""
        for name in sorted(numbers, key=numbers.__getitem__, reverse=True):
            folder = self._folder / _folder_name(connection, name)
            try:
                if folder.exists():
                    return StoreState.of(name, numbers[name], Base.load(folder))
            except (OSError, ValueError, EOFError):
                # Damaged, or just replaced by another process: derived files can be rebuilt.
                shutil.rmtree(folder, ignore_errors=True)
        return None

    def _build(self, connection: SqliteConnection, name: str, number: int) -> StoreState:
        """Build the connection's state from the tables."""
        folder = self._folder / _folder_name(connection, name)
        try:
            with written_aside(folder) as aside:
                build(connection, aside).save(aside)
            base = Base.load(folder)
        except (OSError, ValueError, EOFError):
            # On a full disk or without write permission the arrays are kept in memory.
            base = build(connection)
        return StoreState.of(name, number, base)

    def _rebuild_if_due(self, state: StoreState) -> None:
        if is_read_only(self._path):
            return
        is_running = self._rebuild_thread is not None and self._rebuild_thread.is_alive()
        if is_due(state.changed, state.base.size) and not is_running and not self._rebuild_failed:
            self._rebuild_thread = threading.Thread(target=self._rebuild, name="polyadic-derived")
            self._rebuild_thread.start()

    def _rebuild(self) -> None:
        try:
            # One process builds it, the others wait.
            with (
                FileLock(self._path.with_name("renewing.lock"), thread_local=False),
                contextlib.closing(connect(self._path)) as connection,
            ):
                connection.execute("BEGIN")
                saved = self._load_saved(connection, change_log.numbers(connection))
                if saved is None or is_due(change_log.count_since(connection, saved.number), saved.base.size):
                    saved = self._build(connection, *change_log.present(connection))
            with self._lock:
                self._rebuilt = saved
        except (StoreError, OSError, sqlite3.Error):
            # The current state is exact, only slower to search; the next process tries again.
            self._rebuild_failed = True


def is_due(changed: int, size: int) -> bool:
    """Return whether a base of this size is to be rebuilt after this many changed rows."""
    return changed > min(max(LEAST_CHANGED, SHARE_CHANGED * size), MOST_CHANGED)


def _folder_name(connection: SqliteConnection, name: str) -> str:
    """Return the folder name of a state's arrays, unique to the store, state and layout."""
    (store,) = connection.execute("SELECT coalesce(max(value), '') FROM meta WHERE key = 'store'").fetchone()
    return f"{store}-{name}-{LAYOUT}"
