"""Run a program with a time limit; it ends with the coroutine that waits for it."""

import asyncio
import contextlib
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FinishedProcess:
    """Exit code and output of a program."""

    exit_code: int
    output: bytes
    errors: bytes


async def run_bounded(
    command: Sequence[str], content: bytes, seconds: float, environment: Mapping[str, str] | None = None
) -> FinishedProcess:
    """Run a program to its end.

    Parameters
    ----------
    command
        The program and its arguments; no shell is involved.
    content
        What it reads from standard input.
    seconds
        Time limit.
    environment
        Environment variables; by default those of this process.

    Raises
    ------
    OSError
        The program cannot be started.
    TimeoutError
        It has not ended in time, and was killed.

    Examples
    --------
    >>> asyncio.run(run_bounded(["cat"], b"text", 10)).output
    b'text'
    """
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment)
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(content)
    finally:
        await _end(process)
    return FinishedProcess(process.returncode or 0, output, errors)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a process that has not ended, and close its pipes, also if the caller is cancelled, or cancelled again."""
    cancelled: asyncio.CancelledError | None = None
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        waiting = asyncio.ensure_future(process.wait())
        while not waiting.done():
            try:
                await asyncio.shield(waiting)
            except asyncio.CancelledError as error:
                cancelled = error
    # The loop may end before it has noticed that the pipes are closed; there is no public method for this.
    process._transport.close()  # type: ignore[attr-defined]
    if cancelled:
        raise cancelled
