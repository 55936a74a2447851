"""Conversion of jobs to table rows and back."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from polyadic.server.jobs.job import Job, JobProgress, JobRequest, JobState

COLUMNS = (
    "id",
    "workspace",
    "wish",
    "state",
    "documents",
    "created",
    "started",
    "ended",
    "attempts",
    "reached",
    "report",
    "problem",
)
"""Columns of a job, in the order of :func:`row_of`."""

STAGE = ("state", "attempts", "started")
"""Columns that identify the stage of a job; every start of a job has its own."""


def row_of(job: Job) -> tuple[Any, ...]:
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


def stage_of(job: Job) -> tuple[Any, ...]:
    return (job.state.value, job.attempts, job.started)


def job_of(row: Sequence[Any]) -> Job:
    identifier, workspace, wish, state, documents, created, started, ended, attempts, reached, report, problem = row
    return Job(
        identifier,
        workspace,
        JobRequest(**json.loads(wish)),
        JobState(state),
        documents,
        created,
        started,
        ended,
        attempts,
        JobProgress(**json.loads(reached)),
        json.loads(report),
        problem,
    )
