"""Job store in a small SQLite file, so that jobs survive a restart of the server."""

import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from polyadic.errors import StoreError
from polyadic.server.jobs.job import UNFINISHED, Job, JobState
from polyadic.server.jobs.job_store import COLUMNS, STAGE, job_of, row_of, stage_of

_VERSION = 1
_TABLE = """
CREATE TABLE IF NOT EXISTS job (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    request TEXT NOT NULL,
    state TEXT NOT NULL,
    documents INTEGER NOT NULL,
    created TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    progress TEXT NOT NULL,
    report TEXT NOT NULL,
    problem TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS job_of_workspace ON job (workspace, number);
"""
_COLUMNS = ", ".join(COLUMNS)
_ADD = f"INSERT INTO job ({_COLUMNS}) VALUES ({', '.join('?' * len(COLUMNS))})"
_SETS = ", ".join(f"{name} = ?" for name in COLUMNS)
_SWAP = f"UPDATE job SET {_SETS} WHERE id = ? AND {' AND '.join(f'{name} = ?' for name in STAGE)}"
_IS_UNFINISHED = "state IN (?, ?)"
_FIRST = f"WHERE number IN (SELECT min(number) FROM job WHERE {_IS_UNFINISHED} GROUP BY workspace) ORDER BY number"


class SqliteJobStore:
    """Implements :class:`polyadic.server.jobs.job_store.JobStore` for a single server.

    Raises
    ------
    StoreError
        The file cannot be used, or a newer version wrote it.
    """

    poll_interval = 10.0

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=30)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _VERSION):
                raise StoreError(f"{file} was written by a newer Polyadic", "upgrade Polyadic")
            self._connection.executescript(f"{_TABLE}PRAGMA user_version = {_VERSION};")
        except (sqlite3.Error, OSError) as error:
            raise self._store_error(error) from error

    async def begin(self) -> None:
        # Jobs that ran when the server was killed start again.
        with self._locked_connection() as connection:
            connection.execute("UPDATE job SET state = ? WHERE state = ?", (JobState.QUEUED, JobState.RUNNING))

    async def add(self, job: Job, most: int) -> bool:
        if len(await self.unfinished(job.workspace)) >= most:
            return False
        with self._locked_connection() as connection:
            connection.execute(_ADD, row_of(job))
        return True

    async def compare_and_swap(self, was: Job, becomes: Job) -> bool:
        with self._locked_connection() as connection:
            return connection.execute(_SWAP, (*row_of(becomes), was.id, *stage_of(was))).rowcount == 1

    async def job(self, identifier: str, workspace: str) -> Job | None:
        jobs = self._select("WHERE id = ? AND workspace = ?", (identifier, workspace))
        return jobs[0] if jobs else None

    async def jobs(self, workspace: str, limit: int, after: str = "") -> list[Job]:
        older = "AND number < (SELECT number FROM job WHERE id = ? AND workspace = ?)" if after else ""
        values = (workspace, after, workspace, limit) if after else (workspace, limit)
        return self._select(f"WHERE workspace = ? {older} ORDER BY number DESC LIMIT ?", values)

    async def by_ids(self, identifiers: Collection[str]) -> list[Job]:
        return self._select(f"WHERE id IN ({', '.join('?' * len(identifiers))})", tuple(identifiers))

    async def unfinished(self, workspace: str) -> list[Job]:
        return self._select(f"WHERE workspace = ? AND {_IS_UNFINISHED} ORDER BY number", (workspace, *UNFINISHED))

    async def next_per_workspace(self) -> list[Job]:
        return self._select(_FIRST, UNFINISHED)

    async def counts(self) -> dict[JobState, int]:
        with self._locked_connection() as connection:
            rows = connection.execute("SELECT state, count(*) FROM job GROUP BY state").fetchall()
        return {JobState(state): count for state, count in rows}

    async def expired(self, workspace: str, keep: int) -> list[Job]:
        where = f"WHERE workspace = ? AND NOT {_IS_UNFINISHED} ORDER BY number DESC LIMIT -1 OFFSET ?"
        return self._select(where, (workspace, *UNFINISHED, keep))

    async def delete(self, identifiers: Sequence[str]) -> None:
        with self._locked_connection() as connection:
            connection.executemany("DELETE FROM job WHERE id = ?", [(identifier,) for identifier in identifiers])

    async def delete_workspace(self, workspace: str) -> None:
        with self._locked_connection() as connection:
            connection.execute("DELETE FROM job WHERE workspace = ?", (workspace,))

    async def lead(self, task: str) -> bool:
        """Return True: no other server uses this folder."""
        return True

    async def acquire(self, job: Job) -> bool:
        """Return True: no other server uses this folder."""
        return True

    async def holds(self, job: Job) -> bool:
        return True

    async def release(self, job: Job) -> None: ...

    async def ask_to_stop(self, job: Job) -> None:
        """Do nothing: only this server runs jobs, and it stops them directly."""

    async def asked_to_stop(self, identifiers: Collection[str]) -> frozenset[str]:
        return frozenset()

    def close(self) -> None:
        self._connection.close()

    def _select(self, where: str, values: tuple[object, ...]) -> list[Job]:
        with self._locked_connection() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM job {where}", values).fetchall()
        return [job_of(row) for row in rows]

    @contextmanager
    def _locked_connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as error:
            raise self._store_error(error) from error

    def _store_error(self, error: Exception) -> StoreError:
        return StoreError(f"{self._file} cannot be used ({error})", "free some disk space, or make the folder writable")
