"""Running a job in a process of its own, and hearing from it."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from polyadic import errors
from polyadic.server.jobs.job import JobRequest
from polyadic.server.problem_details import of_core
from polyadic.server.tenants.tenant_backend import WorkspaceLocation

_LONGEST_LINE = 64 << 20
_MODULE = "polyadic.server.jobs.worker"


class JobProcess:
    """One job under way.

    Parameters
    ----------
    workspace
        Where the workspace is.
    wish
        What is to be done.
    within
        What tells it, in its environment, within which span it runs.
    """

    def __init__(self, workspace: WorkspaceLocation, wish: JobRequest, within: Mapping[str, str]) -> None:
        self._asked = {"workspace": asdict(workspace), "wish": asdict(wish)}
        self._within = within
        self._is_to_stop = False
        self._process: asyncio.subprocess.Process | None = None

    async def lines(self, incoming: Path) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """What it says: ``reached`` now and then, and at its end ``report``, ``problem`` or ``cancelled``.

        Parameters
        ----------
        incoming
            The folder of what was handed in.
        """
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # What a library prints may hold anything; it is for whoever looks for a defect.
            stderr=None if os.environ.get("POLYADIC_DEBUG") else asyncio.subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **self._within},
            limit=_LONGEST_LINE,
            # Ctrl-C on a terminal is for the server, which then stops its jobs in order.
            start_new_session=True,
        )
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
            with contextlib.suppress(ConnectionError):
                asked = {**self._asked, "incoming": str(incoming)}
                process.stdin.write(f"{json.dumps(asked)}\n".encode())
                await process.stdin.drain()
            if self._is_to_stop:
                # Somebody wanted that before there was anybody to be told.
                self.stop()
            async for line in process.stdout:
                for what, content in json.loads(line).items():
                    yield what, content
        finally:
            await self._ended()

    def stop(self) -> None:
        """Ask it to stop at the next place where nothing is lost."""
        self._is_to_stop = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """End it now; what was committed stays."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _ended(self) -> None:
        assert self._process is not None  # noqa: S101 - called after it was started
        self.stop()
        await self._process.wait()


def told_to_clients(kind: str) -> str:
    """What clients read of what went wrong in a job, by the name of the error's class."""
    error: object = getattr(errors, kind, None)
    if isinstance(error, type) and issubclass(error, errors.PolyadicError):
        return of_core(error(""))[2]
    return "the job ran into a defect"
