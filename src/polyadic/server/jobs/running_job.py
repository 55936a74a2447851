"""A job that runs on this server, and what it has spent."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polyadic.server.jobs.job import Job
from polyadic.server.jobs.process import JobProcess


@dataclass(slots=True)
class RunningJob:
    """A job that runs here; ``cancelled`` on request, ``lost`` if another server has taken it over.

    ``tokens`` and ``money`` are what it has spent and the metrics have counted.
    """

    job: Job
    process: JobProcess
    task: "asyncio.Task[None] | None" = None
    cancelled: bool = False
    lost: bool = False
    tokens: int = 0
    money: float = 0.0

    def spend(self, tokens: int, money: float) -> tuple[int, float]:
        """Record what the job has spent so far; return what is new since the last call."""
        new = max(0, tokens - self.tokens), max(0.0, money - self.money)
        self.tokens, self.money = tokens, money
        return new

    def spend_as_reported(self, report: Mapping[str, Any]) -> tuple[int, float]:
        """Record what the report says, also about embeddings; a job that failed has no usage."""
        usages = [report[name] for name in ("usage", "embedding_usage") if name in report]
        if not usages:
            return 0, 0.0
        tokens = sum(usage["prompt_tokens"] + usage["completion_tokens"] for usage in usages)
        return self.spend(tokens, sum(usage["money"] for usage in usages))
