"""Opening the SQLite file of a workspace: pragmas, versions, migrations."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from polyadic.errors import StoreError
from polyadic.storage.sql.compression import compress
from polyadic.storage.sql.half_precision import halved
from polyadic.storage.sql.texts import cut_whole_texts
from polyadic.storage.sqlite.schema import (
    APPLICATION_ID,
    MIGRATIONS,
    NAMES_RENEWED_IN,
    PACKED_IN,
    TEXTS_CUT_IN,
    VERSION,
)

BUSY_MILLISECONDS = 30_000
READING_CACHE, WRITING_CACHE = 16, 64
"""MB of pages that a connection keeps; of those for reading there are several."""
_OPENING = "opening.lock"
_HINTS = {
    "SQLITE_FULL": "make room on the disk, then run this again; nothing that was finished is lost",
    "SQLITE_IOERR": "see whether the disk is full or failing, then run this again",
    "SQLITE_READONLY": "make the workspace's folder writable, or copy it to where it is",
    "SQLITE_CANTOPEN": "make the workspace's folder writable, or choose another with -w",
    "SQLITE_BUSY": "another program holds the store; run this again when it has ended",
}
# Without room, SQLite cannot make the files beside the store either, and says only that it cannot open or write them.
_FULL_BELOW = 256 * 1024
_DEFAULT_HINT = "it is damaged or no store of ours: restore it from a backup, or index into a new folder"


def connect(path: Path, cache: int = READING_CACHE) -> sqlite3.Connection:
    """A connection in autocommit mode to a store of the present version, made or brought forward where needed.

    Where the file or its folder cannot be written to, the connection only reads.

    Raises
    ------
    StoreError
        The file is no store of ours, is damaged, was written by a newer version, or would have to be brought forward
        and cannot be.
    """
    if is_read_only(path):
        return _connected_to_read(path, cache)
    with translate_errors(path):
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=BUSY_MILLISECONDS / 1000
        )
        try:
            with _alone(path):
                _prepare(connection, path, cache)
        except BaseException:
            connection.close()
            raise
    return connection


def is_read_only(path: Path) -> bool:
    """Whether there is a store that can be read and not written: writing takes files beside it as well."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def fingerprint(path: Path) -> tuple[int, ...]:
    """What differs once something else has written to a store that is read here as if nothing could."""
    there = path.stat()
    return there.st_mtime_ns, there.st_size, _log_of(path).exists()


def _connected_to_read(path: Path, cache: int) -> sqlite3.Connection:
    with translate_errors(path):
        connection = _opened_to_read(path)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            if _version(connection, path) < VERSION:
                what = f"{path} was written by an older Polyadic, and cannot be upgraded where it cannot be written to"
                raise StoreError(what, "run polyadic status once where it can be, or on a copy of the folder")
            connection.execute(f"PRAGMA cache_size = {-1024 * cache}")
            connection.execute("PRAGMA temp_store = MEMORY")
        except BaseException:
            connection.close()
            raise
    return connection


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """A connection that shares the log of a process that writes; where there is none, one that needs no other file."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    connection = _at(address)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        log = _log_of(path)
        if log.exists() and log.stat().st_size:
            what = (
                f"{path} was not closed, and what was written last cannot be read where its folder cannot be written to"
            )
            raise StoreError(what, "run polyadic status once where it can be, or on a copy of the folder") from None
        return _at(f"{address}&immutable=1")
    return connection


def _at(address: str) -> sqlite3.Connection:
    seconds = BUSY_MILLISECONDS / 1000
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=seconds)


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others from opening the same store meanwhile: SQLite waits for nobody while it makes the log of a new one.

    Where no lock file can be made or had, SQLite will say what is the matter.
    """
    lock = FileLock(path.with_name(_OPENING), timeout=BUSY_MILLISECONDS / 1000, thread_local=False, poll_interval=0.005)
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            held.enter_context(lock)
        yield


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Errors of SQLite within, told as what is the matter with the store and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        hint = _hint(getattr(error, "sqlite_errorname", ""), path.parent)
        raise StoreError(f"{path} cannot be used ({error})", hint) from error


def _hint(name: str, folder: Path) -> str:
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR")) and _is_full(folder):
        name = "SQLITE_FULL"
    return next((hint for start, hint in _HINTS.items() if name.startswith(start)), _DEFAULT_HINT)


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _FULL_BELOW
    except OSError:
        return False


def rolled_back(connection: sqlite3.Connection) -> None:
    """End the transaction of a connection, unless SQLite has done so itself (it does when the disk is full)."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _prepare(connection: sqlite3.Connection, path: Path, cache: int) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    version = _version(connection, path)
    # Vectors of 1.5 kB waste a quarter of a 4 kB page; only a new file takes the size.
    connection.execute("PRAGMA page_size = 16384")
    # NORMAL in WAL mode survives kill -9 at any moment; only a power cut may lose the last commits, never the store.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is withdrawn is to be gone from the file as well.
    connection.execute("PRAGMA secure_delete = ON")
    if version < VERSION:
        _migrate(connection, path)
    if 0 < version < PACKED_IN:
        _give_room_back(connection)
    # Only now: what SQLite writes down to bring a store forward may be as large as the store, and a multiple of the
    # cache is taken.
    connection.execute(f"PRAGMA cache_size = {-1024 * cache}")
    connection.execute("PRAGMA temp_store = MEMORY")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise StoreError(f"{path} is a database of some other program", "choose another folder for the workspace")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Polyadic (store version {version}, this one knows {VERSION})",
            "upgrade Polyadic",
        )
    return version


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.create_function("packed", 1, lambda text: None if text is None else compress(text), deterministic=True)
    connection.create_function("halved", 1, halved, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited for the lock.
        before = _version(connection, path)
        for script in MIGRATIONS[before:]:
            for statement in _statements(script):
                connection.execute(statement)
        if before < TEXTS_CUT_IN:
            cut_whole_texts(connection)
        if before < NAMES_RENEWED_IN:
            # Imported late: what derives stands on this module.
            from polyadic.storage.sql.derived_tables import renew_names

            renew_names(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        rolled_back(connection)
        raise


def _give_room_back(connection: sqlite3.Connection) -> None:
    """Make the file as small as what it holds. Where that cannot be now, what is free is used for what comes."""
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("VACUUM")


def _statements(script: str) -> list[str]:
    # executescript() would commit first; a migration happens wholly or not at all.
    statements, pending = [], ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
