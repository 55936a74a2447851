"""Job store, used by one server or shared by several: its protocol, the rows of jobs, and the logging of its errors."""

import contextlib
import json
import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from polyadic.errors import StoreError
from polyadic.server.jobs.job import Job, JobProgress, JobRequest, JobState
from polyadic.server.json_logging import log_event

COLUMNS = (
    "id",
    "workspace",
    "request",
    "state",
    "documents",
    "created",
    "started",
    "ended",
    "attempts",
    "progress",
    "report",
    "problem",
)
"""Columns of a job, in the order of :func:`row_of`."""

STAGE = ("state", "attempts", "started")
"""Columns that identify the stage of a job; every start of a job has its own."""

_LOG = logging.getLogger(__name__)


class JobStore(Protocol):
    """Jobs by identifier, in order of creation.

    A job changes only by :meth:`compare_and_swap` from the stage that the caller knows, so only one of several
    concurrent changes succeeds. The jobs of a workspace run on the server that holds its lock (:meth:`acquire`).

    Every method may raise StoreError if the store is unavailable.
    """

    @property
    def poll_interval(self) -> float:
        """Seconds between polls for changes by other servers, and for disk space that has become free."""

    async def begin(self) -> None:
        """Prepare for use; called first."""

    async def add(self, job: Job, most: int) -> bool:
        """Add a job permanently; return False if ``most`` jobs of its workspace have not ended yet."""

    async def compare_and_swap(self, was: Job, becomes: Job) -> bool:
        """Replace a job; return False if it is no longer at the stage of ``was``."""

    async def job(self, identifier: str, workspace: str) -> Job | None:
        """Return a job of a workspace; None if there is none with this identifier."""

    async def jobs(self, workspace: str, limit: int, after: str = "") -> list[Job]:
        """Return the jobs of a workspace, the latest first.

        Only those older than the job with the identifier ``after``, if given; none if that job is gone.
        """

    async def by_ids(self, identifiers: Collection[str]) -> list[Job]:
        """Return the existing jobs among these identifiers."""

    async def unfinished(self, workspace: str) -> list[Job]:
        """Return the jobs of a workspace that have not ended, the oldest first."""

    async def next_per_workspace(self) -> list[Job]:
        """Return the oldest job that has not ended of each workspace, in order of creation."""

    async def counts(self) -> dict[JobState, int]:
        """Count the jobs in each state."""

    async def expired(self, workspace: str, keep: int) -> list[Job]:
        """Return the ended jobs of a workspace except the ``keep`` latest."""

    async def delete(self, identifiers: Sequence[str]) -> None:
        """Delete jobs."""

    async def delete_workspace(self, workspace: str) -> None:
        """Delete all jobs of a workspace."""

    # locking

    async def acquire(self, job: Job) -> bool:
        """Take the lock on the jobs of this job's workspace; it lasts until released or until the server ends.

        Return False if another server holds it, or if this is no longer the oldest waiting job.
        """

    async def holds(self, job: Job) -> bool:
        """Return whether this server still holds the lock."""

    async def release(self, job: Job) -> None:
        """Release the lock."""

    async def lead(self, task: str) -> bool:
        """Return whether this server is the one that carries out a task that must not be done twice.

        If no server does, this one does from now on, until it ends or loses its connection.
        """

    async def ask_to_stop(self, job: Job) -> None:
        """Ask the server that runs a job to stop it."""

    async def asked_to_stop(self, identifiers: Collection[str]) -> frozenset[str]:
        """Return the jobs among these that should stop."""

    def close(self) -> None:
        """Close files and connections."""


def row_of(job: Job) -> tuple[Any, ...]:
    return (
        job.id,
        job.workspace,
        json.dumps(asdict(job.request)),
        job.state.value,
        job.documents,
        job.created,
        job.started,
        job.ended,
        job.attempts,
        json.dumps(asdict(job.progress)),
        json.dumps(job.report),
        job.problem,
    )


def stage_of(job: Job) -> tuple[Any, ...]:
    return (job.state.value, job.attempts, job.started)


def job_of(row: Sequence[Any]) -> Job:
    identifier, workspace, request, state, documents, created, started, ended, attempts, progress, report, problem = row
    return Job(
        identifier,
        workspace,
        JobRequest(**json.loads(request)),
        JobState(state),
        documents,
        created,
        started,
        ended,
        attempts,
        JobProgress(**json.loads(progress)),
        json.loads(report),
        problem,
    )


@contextlib.contextmanager
def store_errors_logged(what: str, **about: Any) -> Iterator[None]:
    """Log and suppress errors of the job store."""
    try:
        yield
    except StoreError as error:
        log_event(_LOG, logging.ERROR, what, message=str(error), **about)
