"""The command on a terminal of its own, at which a test waits for words and types."""

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 60
_INTERRUPT = "\x03"


def on_terminal(
    folder: Path, arguments: Sequence[str], script: Sequence[tuple[str, str]], term: str = "dumb"
) -> tuple[int, str]:
    """Run the command in a folder; returns its exit code and all that the terminal showed.

    Parameters
    ----------
    script
        Pairs of what is waited for and what is then typed; control characters act as they do for people.
    term
        The kind of terminal; a dumb one cannot move its cursor.
    """
    environment = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing", "TERM": term}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "polyadic", *arguments], environment)  # noqa: S606
    try:
        shown, from_here, before = "", 0, ""
        for awaited, typed in script:
            while awaited not in shown[from_here:]:
                block = _read(terminal, before)
                assert block, f"{awaited!r} was not shown: {shown!r}"
                shown += block
            from_here = shown.index(awaited, from_here) + len(awaited)
            os.write(terminal, typed.encode())
            before = typed
        while block := _read(terminal, before):
            shown += block
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(terminal)
        _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown.replace("\r\n", "\n")


def _read(terminal: int, typed: str) -> str:
    """What the terminal shows next; empty where the command has ended."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            try:
                return os.read(terminal, 65_536).decode(errors="replace")
            except OSError:
                # How Linux says that the other end of a terminal is closed.
                return ""
        if typed == _INTERRUPT:
            # Where Python is reading another letter just then, it takes note with the next one: people press again.
            os.write(terminal, typed.encode())
    raise AssertionError(f"nothing was shown for {_SECONDS} s")
