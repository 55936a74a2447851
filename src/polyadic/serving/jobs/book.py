"""Where jobs are kept: a small SQLite file of the server, so that they survive it."""

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from polyadic.errors import StoreError
from polyadic.serving.jobs.job import GOING, Job, Reached, State, Wish

_VERSION = 1
_TABLE = """
CREATE TABLE IF NOT EXISTS job (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    wish TEXT NOT NULL,
    state TEXT NOT NULL,
    documents INTEGER NOT NULL,
    created TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    reached TEXT NOT NULL,
    report TEXT NOT NULL,
    problem TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS job_of_workspace ON job (workspace, number);
"""
_COLUMNS = "id, workspace, wish, state, documents, created, started, ended, attempts, reached, report, problem"
_MARKS = ", ".join("?" * 12)


class Book:
    """Jobs by identifier, in the order in which they came.

    Raises
    ------
    StoreError
        The file cannot be used, or a newer version wrote it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._alone = threading.Lock()
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
            raise self._unusable(error) from error

    def put(self, job: Job) -> None:
        """Enter a job, or what has become of it."""
        sets = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[1:])
        with self._used() as connection:
            connection.execute(
                f"INSERT INTO job ({_COLUMNS}) VALUES ({_MARKS}) ON CONFLICT (id) DO UPDATE SET {sets}", _row(job)
            )

    def job(self, identifier: str, workspace: str) -> Job | None:
        """A job of a workspace; None where it has none with this identifier."""
        found = self._select("WHERE id = ? AND workspace = ?", (identifier, workspace))
        return found[0] if found else None

    def jobs(self, workspace: str, limit: int) -> list[Job]:
        """The jobs of a workspace, the latest first."""
        return self._select("WHERE workspace = ? ORDER BY number DESC LIMIT ?", (workspace, limit))

    def going(self) -> list[Job]:
        """All jobs that are queued or running, the first first."""
        return self._select("WHERE state IN (?, ?) ORDER BY number", GOING)

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state."""
        with self._used() as connection:
            rows = connection.execute("SELECT state, count(*) FROM job GROUP BY state").fetchall()
        return {State(state): count for state, count in rows}

    def old(self, workspace: str, keep: int) -> list[Job]:
        """The jobs of a workspace that have ended, but for the latest."""
        where = "WHERE workspace = ? AND state NOT IN (?, ?) ORDER BY number DESC LIMIT -1 OFFSET ?"
        return self._select(where, (workspace, *GOING, keep))

    def forget(self, identifiers: Sequence[str]) -> None:
        """Forget jobs."""
        with self._used() as connection:
            connection.executemany("DELETE FROM job WHERE id = ?", [(identifier,) for identifier in identifiers])

    def forget_workspace(self, workspace: str) -> None:
        """Forget all jobs of a workspace."""
        with self._used() as connection:
            connection.execute("DELETE FROM job WHERE workspace = ?", (workspace,))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _select(self, where: str, values: tuple[object, ...]) -> list[Job]:
        with self._used() as connection:
            return [_job(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM job {where}", values).fetchall()]

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._alone:
                yield self._connection
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> StoreError:
        return StoreError(f"{self._file} cannot be used ({error})", "make room, or make the folder writable")


def _row(job: Job) -> tuple[object, ...]:
    return (
        job.id,
        job.workspace,
        json.dumps(asdict(job.wish)),
        job.state.value,
        job.documents,
        job.created,
        job.started,
        job.ended,
        job.attempts,
        json.dumps(asdict(job.reached)),
        json.dumps(job.report),
        job.problem,
    )


def _job(row: tuple[str, str, str, str, int, str, str, str, int, str, str, str]) -> Job:
    identifier, workspace, wish, state, documents, created, started, ended, attempts, reached, report, problem = row
    return Job(
        identifier,
        workspace,
        Wish(**json.loads(wish)),
        State(state),
        documents,
        created,
        started,
        ended,
        attempts,
        Reached(**json.loads(reached)),
        json.loads(report),
        problem,
    )
