"""The state that is read, kept at hand: a base that is saved under ``derived/``, and what has changed since.

A base is named after its state by a drawn name, so one that has nothing to do with what is read is never taken up.
Where too much has changed since, a new one is made while questions are answered from the old one.
"""

import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from filelock import FileLock

from polyadic.errors import StoreError
from polyadic.storage.memory.array_files import written_aside
from polyadic.storage.memory.base_segment import LAYOUT, BaseSegment
from polyadic.storage.memory.builder import build
from polyadic.storage.memory.matrix import Matrix
from polyadic.storage.memory.state import StoreState
from polyadic.storage.sql import change_log
from polyadic.storage.sqlite.database import connect, is_read_only, rolled_back

LEAST_CHANGED, MOST_CHANGED = 2_000, 25_000
SHARE_CHANGED = 0.125
"""A base is made anew when more rows have changed since than this share of its own, within these bounds: each question
compares the vectors of all that has changed."""


class SnapshotManager:
    """The states of one store, read by many threads."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = folder
        self._reading = threading.Lock()
        self._kept: StoreState | None = None
        self._renewed: StoreState | None = None
        self._renewing: threading.Thread | None = None
        self._given_up = False

    def of(self, connection: sqlite3.Connection) -> StoreState:
        """The state that a connection reads, within the transaction that it is in."""
        name, number = change_log.present(connection)
        with self._reading:
            if self._kept is None or self._kept.name != name or self._renewed is not None:
                self._kept = self._reached(connection, name, number)
                self._renew_if_due(self._kept)
            return self._kept

    def close(self) -> None:
        """Wait for a base that is being made."""
        if self._renewing is not None:
            self._renewing.join()

    def _reached(self, connection: sqlite3.Connection, name: str, number: int) -> StoreState:
        """The state of this name, which the connection reads, by the shortest way to it."""
        renewed, self._renewed = self._renewed, None
        for known in (renewed, self._kept):
            if known is not None and change_log.leads_on(connection, known.name):
                return _brought(known, connection, name, number)
        saved = self._saved(connection)
        return self._made(connection, name, number) if saved is None else _brought(saved, connection, name, number)

    def _saved(self, connection: sqlite3.Connection) -> StoreState | None:
        """The latest state, of those that lead to the one which the connection reads, whose arrays are saved."""
        numbers = change_log.numbers(connection)
        with contextlib.suppress(OSError):
            folders = {folder.name: folder for folder in self._folder.iterdir()}
            for name in sorted(numbers, key=numbers.__getitem__, reverse=True):
                folder = folders.get(_stamp(connection, name))
                if folder is None:
                    continue
                try:
                    return StoreState.of(name, numbers[name], BaseSegment.load(folder))
                except (OSError, ValueError, EOFError):
                    # Damaged, or just replaced by another process: it is derived, so it can be made again.
                    shutil.rmtree(folder, ignore_errors=True)
        return None

    def _made(self, connection: sqlite3.Connection, name: str, number: int) -> StoreState:
        """The state that the connection reads, from all of its tables."""
        folder = self._folder / _stamp(connection, name)
        try:
            with written_aside(folder) as aside:
                build(connection, partial(Matrix.write, aside)).save(aside)
            base = BaseSegment.load(folder)
        except (OSError, ValueError, EOFError):
            # Without room or the right to write a reader still answers, only with more memory.
            base = build(connection, Matrix.joined)
        return StoreState.of(name, number, base)

    def _renew_if_due(self, state: StoreState) -> None:
        if is_read_only(self._path):
            return
        under_way = self._renewing is not None and self._renewing.is_alive()
        if is_due(state.changed, state.base.size) and not under_way and not self._given_up:
            self._renewing = threading.Thread(target=self._renew, name="polyadic-derived")
            self._renewing.start()

    def _renew(self) -> None:
        try:
            # One process makes it, the others wait for it.
            with FileLock(self._path.with_name("renewing.lock"), thread_local=False), self._reader() as connection:
                saved = self._saved(connection)
                if saved is None or is_due(change_log.count_since(connection, saved.number), saved.base.size):
                    saved = self._made(connection, *change_log.present(connection))
            with self._reading:
                self._renewed = saved
        except (StoreError, OSError, sqlite3.Error):
            # What is there is as exact, only slower; the next process tries again.
            self._given_up = True

    @contextlib.contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(connect(self._path)) as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                rolled_back(connection)


def is_due(changed: int, size: int) -> bool:
    """Whether so many rows have changed that a base of this size is to be made anew."""
    return changed > min(max(LEAST_CHANGED, SHARE_CHANGED * size), MOST_CHANGED)


def _brought(state: StoreState, connection: sqlite3.Connection, name: str, number: int) -> StoreState:
    return state if state.name == name else state.brought_forward(connection, name, number)


def _stamp(connection: sqlite3.Connection, name: str) -> str:
    """What the folder of a state's arrays is called: no other store, state or layout has the same."""
    (store,) = connection.execute("SELECT coalesce(max(value), '') FROM meta WHERE key = 'store'").fetchone()
    return f"{store}-{name}-{LAYOUT}"
