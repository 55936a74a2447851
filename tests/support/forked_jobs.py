"""Jobs of servers in processes that are forked from one which has imported the package.

A server starts a process for each job, which imports for a second and a half before it reads a document.
"""

import asyncio
import os
from collections.abc import Mapping
from multiprocessing import current_process, forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.support.forked import CONTEXT, become

_JOB = ("-m", "polyadic.server.jobs.worker")
_start = asyncio.create_subprocess_exec


class _ForkedJob:
    """What a server uses of ``asyncio.subprocess.Process``."""

    def __init__(self, process: Any, stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader) -> None:
        self._process, self.stdin, self.stdout = process, stdin, stdout
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:
        code: int | None = self._process.exitcode
        return code

    def kill(self) -> None:
        self._process.kill()

    async def wait(self) -> int | None:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        return self.returncode


def fork_jobs() -> None:
    """Have the servers of this process fork their jobs from now on; other processes are started as ever."""
    asyncio.create_subprocess_exec = _start_or_fork  # type: ignore[assignment]


def fork_jobs_of_a_fork() -> None:
    """Do the same in a server that was forked, from where it was forked; Python would begin another such process."""
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[method-assign]
    current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    fork_jobs()


async def _start_or_fork(program: str, *arguments: str, **settings: Any) -> Any:
    if arguments != _JOB:
        return await _start(program, *arguments, **settings)
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    theirs = Connection(read_in, writable=False), Connection(write_out, readable=False)
    process = CONTEXT.Process(target=_work, args=(settings["env"], Path.cwd(), *theirs), daemon=True)
    # The first one waits until everything is imported.
    await asyncio.to_thread(process.start)
    for end in theirs:
        end.close()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(settings["limit"])
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_out, "rb", 0))
    pipe, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(write_in, "wb", 0))
    return _ForkedJob(process, asyncio.StreamWriter(pipe, protocol, None, loop), reader)


def _work(environment: Mapping[str, str], folder: Path, stdin: Connection, stdout: Connection) -> None:
    from polyadic.server.jobs.worker import main

    os.setsid()
    become(environment, folder, stdin, stdout, None)
    stdin.close()
    stdout.close()
    main()
