"""Open the SQLite file of a workspace: locks, pragmas, hints on errors."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from polyadic.errors import StoreError
from polyadic.storage.sqlite.connection import SqliteConnection
from polyadic.storage.sqlite.schema import is_current, migrate

BUSY_MILLISECONDS = 30_000
READING_CACHE, WRITING_CACHE = 16, 64
"""Page cache per connection in MB. There are several reading connections and one for writing."""
_LOCK_FILE = "opening.lock"
_HINTS = {
    "SQLITE_FULL": "free some disk space, then run this again; finished work is kept",
    "SQLITE_IOERR": "check whether the disk is full or failing, then run this again",
    "SQLITE_READONLY": "make the workspace's folder writable, or use a copy in a writable folder",
    "SQLITE_CANTOPEN": "make the workspace's folder writable, or choose another with -w",
    "SQLITE_BUSY": "another program has locked the store; run this again when it has finished",
}
# On a full disk SQLite cannot create the files beside the store, and reports only that it cannot open or write them.
_MIN_FREE_BYTES = 256 * 1024
_RUN_STATUS = "run polyadic status once with write access, or on a copy of the folder"
_DEFAULT_HINT = "it is damaged or not a Polyadic store: restore it from a backup, or index into a new folder"


def connect(path: Path, cache: int = READING_CACHE) -> SqliteConnection:
    """Open a connection in autocommit mode, creating or migrating the store to the current version.

    If the file or its folder is not writable, the connection is read-only.

    Raises
    ------
    StoreError
        The file is not a Polyadic store, is damaged, was written by a newer version, or needs a migration but is
        read-only.
    """
    read_only = is_read_only(path)
    with translate_errors(path), contextlib.ExitStack() as on_error:
        connection = _open_read_only(path) if read_only else _open(path)
        on_error.callback(connection.close)
        connection.execute("PRAGMA trusted_schema = OFF")
        if not read_only:
            with _opening_lock(path):
                _prepare_writing(connection, path)
        elif not is_current(connection, path):
            message = f"{path} was written by an older Polyadic and must be upgraded, but it is read-only"
            raise StoreError(message, _RUN_STATUS)
        # Only now: the journal of a migration may be as large as the store, and SQLite then uses a multiple of it.
        connection.execute(f"PRAGMA cache_size = {-1024 * cache}")
        connection.execute("PRAGMA temp_store = MEMORY")
        on_error.pop_all()
    return connection


def is_read_only(path: Path) -> bool:
    """Return whether the store exists but is not writable; writing needs files beside it as well."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def fingerprint(path: Path) -> tuple[int, ...]:
    """Return values that change when another process writes to a store that is opened as immutable here."""
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, _wal_path(path).exists()


def _open_read_only(path: Path) -> SqliteConnection:
    """Open a read-only connection, which shares the WAL of a writing process or, if there is none, is immutable."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    connection = _open(address)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        wal = _wal_path(path)
        if wal.exists() and wal.stat().st_size:
            message = f"{path} was not closed properly, and its last changes cannot be read because its folder is"
            raise StoreError(f"{message} read-only", _RUN_STATUS) from None
        return _open(f"{address}&immutable=1")
    return connection


def _open(address: Path | str) -> SqliteConnection:
    """Open a connection in autocommit mode; a text is a URI."""
    connection = sqlite3.connect(
        address,
        uri=isinstance(address, str),
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_MILLISECONDS / 1000,
        factory=SqliteConnection,
    )
    # The annotation of connect() does not know the factory.
    assert isinstance(connection, SqliteConnection)  # noqa: S101
    return connection


def _wal_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@contextlib.contextmanager
def _opening_lock(path: Path) -> Iterator[None]:
    """Serialize opening between processes: SQLite does not wait for a lock while it creates the WAL of a new store.

    If the lock file cannot be created or locked, opening goes on, and SQLite reports the problem.
    """
    lock = FileLock(
        path.with_name(_LOCK_FILE), timeout=BUSY_MILLISECONDS / 1000, thread_local=False, poll_interval=0.005
    )
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(lock)
        yield


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate SQLite errors into StoreError with a hint what to do."""
    try:
        yield
    except sqlite3.Error as error:
        hint = _hint(getattr(error, "sqlite_errorname", ""), path.parent)
        raise StoreError(f"{path} cannot be used ({error})", hint) from error


def _hint(name: str, folder: Path) -> str:
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR")) and _is_disk_full(folder):
        name = "SQLITE_FULL"
    return next((hint for start, hint in _HINTS.items() if name.startswith(start)), _DEFAULT_HINT)


def _is_disk_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _MIN_FREE_BYTES
    except OSError:
        return False


def _prepare_writing(connection: sqlite3.Connection, path: Path) -> None:
    current = is_current(connection, path)
    # Vectors of 1.5 kB waste a quarter of a 4 kB page; only a new file takes the size.
    connection.execute("PRAGMA page_size = 16384")
    # NORMAL in WAL mode survives kill -9 at any moment; only a power cut may lose the last commits, never the store.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    # Deleted documents must not remain readable in the file.
    connection.execute("PRAGMA secure_delete = ON")
    if not current:
        migrate(connection, path)
