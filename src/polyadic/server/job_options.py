"""How what is handed in is to be read: the part of a request that is the same for files and texts."""

from typing import Annotated, Literal

from fastapi import Depends, Query

from polyadic.server.jobs.job import JobRequest


def _wish(
    extractor: Annotated[
        Literal["model", "sentences"] | None, Query(description="the workspace's own choice if left out")
    ] = None,
    budget: Annotated[float | None, Query(ge=0, le=1e6, description="stop before more money is spent")] = None,
    spend_tokens: Annotated[int | None, Query(ge=0, le=10**12, description="stop before more tokens are spent")] = None,
) -> JobRequest:
    return JobRequest("index", extractor, budget, spend_tokens)


Wished = Annotated[JobRequest, Depends(_wish)]
