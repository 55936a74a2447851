"""``python -m MODULE`` in a process that is forked from one which has imported the package.

A test that kills fifty commands would spend most of its time on importing.
"""

import multiprocessing
import os
import runpy
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from io import BufferedWriter
from multiprocessing.connection import Connection
from pathlib import Path

_FOR_JOBS = "tests.support.imported_before_jobs"
_FOR_EVERYTHING = "tests.support.imported_before"
CONTEXT = multiprocessing.get_context("forkserver")


def import_before(is_fast: bool) -> None:
    """Choose what the process that is forked imports: what jobs need is enough for `make test`."""
    CONTEXT.set_forkserver_preload([_FOR_JOBS if is_fast else _FOR_EVERYTHING])


class ForkedCommand:
    """A running command with the interface of ``subprocess.Popen`` as far as tests of crashes use it.

    Standard error goes to a file, if one is given.
    """

    def __init__(
        self, module: str, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None
    ) -> None:
        self._error, error = CONTEXT.Pipe(duplex=False)
        what = (module, [*arguments], dict(environment), Path.cwd(), error, log)
        self._process = CONTEXT.Process(target=_run, args=what)
        # Ended with the tests, also if one of them fails before its command ends.
        self._process.daemon = True
        self._process.start()
        error.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it, unless the process has ended: that it has is known a little after it is gone."""
        with suppress(ProcessLookupError):
            if self._process.exitcode is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        assert self._process.exitcode is not None, "it has not ended in time"
        return self._process.exitcode

    def communicate(self) -> tuple[None, bytes]:
        """Wait for the end; returns what the command wrote on standard error, as the second of two."""
        written = b""
        while not self._error.closed and (part := os.read(self._error.fileno(), 65_536)):
            written += part
        self._error.close()
        self.wait()
        return None, written


def become(environment: Mapping[str, str], folder: Path, *streams: Connection | BufferedWriter | None) -> None:
    """Give a forked process the environment, working folder and standard streams of a started one; None: nothing."""
    with Path(os.devnull).open("r+b") as nothing:
        for descriptor, stream in enumerate(streams):
            os.dup2((stream or nothing).fileno(), descriptor)
    # Those there are were made for what the streams were before.
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, closefd=False) for n, mode in enumerate("rww"))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)


def _run(
    module: str, arguments: list[str], environment: dict[str, str], folder: Path, error: Connection, log: Path | None
) -> None:
    with error, log.open("wb") if log else nullcontext(error) as errors:
        become(environment, folder, None, None, errors)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
