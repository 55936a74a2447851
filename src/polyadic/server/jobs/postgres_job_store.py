"""Job store in a PostgreSQL database shared by several servers."""

import contextlib
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import psycopg

from polyadic.server.jobs.job import UNFINISHED, Job, JobState
from polyadic.server.jobs.job_store import COLUMNS, STAGE, job_of, row_of, stage_of
from polyadic.server.problem_details import no_such_workspace
from polyadic.server.tenants.postgres_tables import Raw, TenantTables
from polyadic.storage.postgres.errors import translate_errors

_PLACEHOLDERS = ", ".join(["%s"] * len(COLUMNS))
_ADD = f"INSERT INTO job ({', '.join(COLUMNS)}) VALUES ({_PLACEHOLDERS})"
_CHANGED = [name for name in COLUMNS if name not in ("id", "workspace")]
_SWAP = (
    f"UPDATE job SET {', '.join(f'{name} = %s' for name in _CHANGED)},"
    " cancel_requested = cancel_requested AND state = ANY(%s)"
    f" WHERE id = %s AND {' AND '.join(f'{name} = %s' for name in STAGE)}"
)
_SELECTED = ", ".join("w.name" if name == "workspace" else f"j.{name}" for name in COLUMNS)
_JOBS = f"SELECT {_SELECTED} FROM job j JOIN workspace w ON w.id = j.workspace"
_IS_UNFINISHED = "j.state IN ('queued', 'running')"
_FIRST = (
    f"{_JOBS} WHERE j.number IN (SELECT min(j.number) FROM job j WHERE {_IS_UNFINISHED} GROUP BY j.workspace)"
    " ORDER BY j.number"
)
_IS_FIRST = f"SELECT j.id FROM job j WHERE j.workspace = %s AND {_IS_UNFINISHED} ORDER BY j.number LIMIT 1"
# Lock keys of two numbers, so that they cannot collide with the store's locks, which have one.
_RUN_LOCK, _COUNT_LOCK, _TASK_LOCK = 0x506F6C01, 0x506F6C02, 0x506F6C03
LOCK_OF_RUNS = f"pg_try_advisory_lock({_RUN_LOCK}, hashint8(%s))"
"""Session lock held by the server that runs the jobs of a workspace, or that prevents others from doing so."""


class PostgresJobStore:
    """Implements :class:`polyadic.server.jobs.job_store.JobStore` for servers that share a database.

    The server that runs the jobs of a workspace holds a session lock, which ends with the server in any case.
    """

    poll_interval = 0.5

    def __init__(self, tables: TenantTables) -> None:
        self._tables = tables
        self._lock = threading.Lock()
        self._lock_connection: Raw | None = None
        self._taken: dict[str, int] = {}
        self._led: set[str] = set()

    async def begin(self) -> None: ...

    async def add(self, job: Job, most: int) -> bool:
        return await self._tables.run(lambda raw: _add(raw, job, most))

    async def compare_and_swap(self, was: Job, becomes: Job) -> bool:
        content = dict(zip(COLUMNS, _storable(becomes), strict=True))
        values = (*(content[name] for name in _CHANGED), list(UNFINISHED), was.id, *stage_of(was))
        return await self._tables.run(lambda raw: raw.execute(_SWAP, values).rowcount == 1)

    async def job(self, identifier: str, workspace: str) -> Job | None:
        jobs = await self._select(f"{_JOBS} WHERE j.id = %s AND w.name = %s", (identifier, workspace))
        return jobs[0] if jobs else None

    async def jobs(self, workspace: str, limit: int, after: str = "") -> list[Job]:
        older = (
            "AND j.number < (SELECT c.number FROM job c WHERE c.id = %s AND c.workspace = j.workspace)" if after else ""
        )
        values = (workspace, after, limit) if after else (workspace, limit)
        return await self._select(f"{_JOBS} WHERE w.name = %s {older} ORDER BY j.number DESC LIMIT %s", values)

    async def by_ids(self, identifiers: Collection[str]) -> list[Job]:
        return await self._select(f"{_JOBS} WHERE j.id = ANY(%s)", (list(identifiers),))

    async def unfinished(self, workspace: str) -> list[Job]:
        return await self._select(f"{_JOBS} WHERE w.name = %s AND {_IS_UNFINISHED} ORDER BY j.number", (workspace,))

    async def next_per_workspace(self) -> list[Job]:
        return await self._select(_FIRST, ())

    async def counts(self) -> dict[JobState, int]:
        rows = await self._tables.run(
            lambda raw: raw.execute("SELECT state, count(*) FROM job GROUP BY state").fetchall()
        )
        return {JobState(state): count for state, count in rows}

    async def expired(self, workspace: str, keep: int) -> list[Job]:
        where = f"WHERE w.name = %s AND NOT ({_IS_UNFINISHED}) ORDER BY j.number DESC OFFSET %s"
        return await self._select(f"{_JOBS} {where}", (workspace, keep))

    async def delete(self, identifiers: Sequence[str]) -> None:
        await self._tables.run(lambda raw: raw.execute("DELETE FROM job WHERE id = ANY(%s)", (list(identifiers),)))

    async def delete_workspace(self, workspace: str) -> None:
        statement = "DELETE FROM job USING workspace w WHERE w.id = job.workspace AND w.name = %s"
        await self._tables.run(lambda raw: raw.execute(statement, (workspace,)))

    async def acquire(self, job: Job) -> bool:
        return await self._tables.run_in_pool(lambda: self._take(job))

    async def holds(self, job: Job) -> bool:
        return await self._tables.run_in_pool(lambda: self._holds(job))

    async def release(self, job: Job) -> None:
        await self._tables.run_in_pool(lambda: self._release(job))

    async def lead(self, task: str) -> bool:
        return await self._tables.run_in_pool(lambda: self._lead(task))

    async def ask_to_stop(self, job: Job) -> None:
        statement = f"UPDATE job j SET cancel_requested = true WHERE j.id = %s AND {_IS_UNFINISHED}"
        await self._tables.run(lambda raw: raw.execute(statement, (job.id,)))

    async def asked_to_stop(self, identifiers: Collection[str]) -> frozenset[str]:
        statement = "SELECT id FROM job WHERE id = ANY(%s) AND cancel_requested"
        rows = await self._tables.run(lambda raw: raw.execute(statement, (list(identifiers),)).fetchall())
        return frozenset(identifier for (identifier,) in rows)

    def close(self) -> None:
        with self._lock:
            self._drop_locks()

    async def _select(self, sql: str, values: tuple[Any, ...]) -> list[Job]:
        rows = await self._tables.run(lambda raw: raw.execute(sql.encode(), values).fetchall())
        return [job_of(row) for row in rows]

    # locking; one thread at a time

    def _take(self, job: Job) -> bool:
        with self._on_lock_connection() as raw:
            return self._try_lock(raw, job)

    def _lead(self, task: str) -> bool:
        with self._on_lock_connection() as raw:
            if task in self._led:
                raw.execute("SELECT 1")
                return True
            locked = raw.execute(f"SELECT pg_try_advisory_lock({_TASK_LOCK}, hashtext(%s))".encode(), (task,))
            if locked.fetchone() != (True,):
                return False
            self._led.add(task)
            return True

    @contextlib.contextmanager
    def _on_lock_connection(self) -> Iterator[Raw]:
        """Provide the connection of the locks, opened if necessary; all locks are gone if it breaks."""
        with self._lock, translate_errors(self._tables.called):
            try:
                if self._lock_connection is None:
                    self._lock_connection = self._tables.connected()
                yield self._lock_connection
            except psycopg.OperationalError:
                self._drop_locks()
                raise

    def _try_lock(self, raw: Raw, job: Job) -> bool:
        row = raw.execute("SELECT workspace FROM job WHERE id = %s", (job.id,)).fetchone()
        if row is None or raw.execute(f"SELECT {LOCK_OF_RUNS}".encode(), row).fetchone() != (True,):
            return False
        self._taken[job.id] = row[0]
        # The previous holder of the lock may have run this job already.
        if raw.execute(_IS_FIRST.encode(), row).fetchone() == (job.id,):
            return True
        self._unlock(raw, job)
        return False

    def _holds(self, job: Job) -> bool:
        with self._lock:
            if self._lock_connection is None or job.id not in self._taken:
                return False
            try:
                self._lock_connection.execute("SELECT 1")
            except psycopg.OperationalError:
                self._drop_locks()
                return False
            return True

    def _release(self, job: Job) -> None:
        with self._lock:
            if self._lock_connection is not None and job.id in self._taken:
                try:
                    self._unlock(self._lock_connection, job)
                except psycopg.OperationalError:
                    self._drop_locks()

    def _unlock(self, raw: Raw, job: Job) -> None:
        raw.execute(f"SELECT pg_advisory_unlock({_RUN_LOCK}, hashint8(%s))".encode(), (self._taken.pop(job.id),))

    def _drop_locks(self) -> None:
        """Close the lock connection, which releases all locks."""
        self._taken.clear()
        self._led.clear()
        if self._lock_connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._lock_connection.close()
            self._lock_connection = None


def _add(raw: Raw, job: Job, most: int) -> bool:
    with raw.transaction():
        # The row lock keeps the workspace from being deleted before the commit.
        row = raw.execute("SELECT id FROM workspace WHERE name = %s FOR KEY SHARE", (job.workspace,)).fetchone()
        if row is None:
            raise no_such_workspace()
        raw.execute(f"SELECT pg_advisory_xact_lock({_COUNT_LOCK}, hashint8(%s))".encode(), row)
        counted = f"SELECT count(*) FROM job j WHERE j.workspace = %s AND {_IS_UNFINISHED}"
        if raw.execute(counted.encode(), row).fetchall()[0][0] >= most:
            return False
        content = dict(zip(COLUMNS, _storable(job), strict=True))
        raw.execute(_ADD.encode(), tuple((content | {"workspace": row[0]}).values()))
        return True


def _storable(job: Job) -> list[Any]:
    """Convert a job to a row without NUL characters, which PostgreSQL text cannot hold (JSON values contain none)."""
    return [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in row_of(job)]
