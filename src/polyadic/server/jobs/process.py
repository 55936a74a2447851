"""Run a job in its own process: start it, read its messages, and keep what it has spent."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyadic import errors
from polyadic.server.jobs.job import Job, JobRequest
from polyadic.server.problem_details import of_core
from polyadic.server.tenants.tenant_backend import WorkspaceLocation

_LONGEST_LINE = 64 << 20
_MODULE = "polyadic.server.jobs.worker"


class JobProcess:
    """The process of one job.

    Parameters
    ----------
    workspace
        Location of the workspace.
    request
        What to do.
    within
        Environment variables that pass the parent span to the process.
    """

    def __init__(self, workspace: WorkspaceLocation, request: JobRequest, within: Mapping[str, str]) -> None:
        self._request = {"workspace": asdict(workspace), "request": asdict(request)}
        self._within = within
        self._stop_requested = False
        self._process: asyncio.subprocess.Process | None = None

    async def lines(self, upload_folder: Path) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Start the process and yield its messages.

        These are ``progress`` for progress, and at the end ``report``, ``problem`` or ``cancelled``.

        Parameters
        ----------
        upload_folder
            Folder of the upload.
        """
        if self._stop_requested:
            return
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # Libraries may print document text, so their output is shown for debugging only.
            stderr=None if os.environ.get("POLYADIC_DEBUG") else asyncio.subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **self._within},
            limit=_LONGEST_LINE,
            # Ctrl-C in a terminal must reach the server only, which then stops its jobs in order.
            start_new_session=True,
        )
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
            with contextlib.suppress(ConnectionError):
                request = {**self._request, "upload_folder": str(upload_folder)}
                process.stdin.write(f"{json.dumps(request)}\n".encode())
                await process.stdin.drain()
            if self._stop_requested:
                # The stop was requested while the process was being created.
                self.stop()
            async for line in process.stdout:
                for what, content in json.loads(line).items():
                    yield what, content
        finally:
            await self._wait()

    def stop(self) -> None:
        """Ask the process to stop at the next point where no work is lost."""
        self._stop_requested = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """Kill the process; committed work stays."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _wait(self) -> None:
        assert self._process is not None  # noqa: S101 - called after it was started
        self.stop()
        await self._process.wait()


def client_message(kind: str) -> str:
    """Return the message for clients about a failed job, by the class name of the error."""
    error: object = getattr(errors, kind, None)
    if isinstance(error, type) and issubclass(error, errors.PolyadicError):
        return of_core(error(""))[2]
    return "internal error: the server log has details"


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
