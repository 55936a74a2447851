"""Conversion of jobs to table rows and back."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from polyadic.server.jobs.job import Job, JobProgress, JobRequest, JobState

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
