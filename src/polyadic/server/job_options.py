"""Query parameters of jobs: how uploaded files and texts are indexed, and what a job may spend."""

from typing import Annotated, Literal

from fastapi import Depends, Query

from polyadic.server.jobs.job import JobRequest

Budget = Annotated[float | None, Query(ge=0, le=1e6, description="stop before spending more money")]
SpendTokens = Annotated[int | None, Query(ge=0, le=10**12, description="stop before spending more tokens")]


def _job_request(
    extractor: Annotated[
        Literal["model", "sentences"] | None, Query(description="the workspace's setting by default")
    ] = None,
    budget: Budget = None,
    spend_tokens: SpendTokens = None,
    upload: Annotated[
        str, Query(pattern="^[0-9A-Za-z_-]{0,64}$", description="the same for all parts of one upload")
    ] = "",
) -> JobRequest:
    return JobRequest("index", extractor, budget, spend_tokens, upload)


RequestedJob = Annotated[JobRequest, Depends(_job_request)]
