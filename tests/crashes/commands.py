"""The command in processes of its own, and what it leaves behind."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from polyadic.storage.sqlite.store import SqliteStore
from tests.model_server import ModelServer
from tests.support.canonical import canonical
from tests.support.forked import ForkedCommand

AT_ONCE = 2
COMMAND = (sys.executable, "-m", "polyadic")
Run: TypeAlias = ForkedCommand | subprocess.Popen[bytes]


def indexing(
    paths: Path | Sequence[Path],
    workspace: Path,
    server: ModelServer | None = None,
    command: Sequence[str] = COMMAND,
) -> Run:
    """``polyadic index`` in a process of its own; without a server, no language model is used."""
    files = [str(path) for path in ([paths] if isinstance(paths, Path) else paths)]
    return started(command, "-w", str(workspace), "index", *files, server=server)


def started(command: Sequence[str], *arguments: str, server: ModelServer | None = None) -> Run:
    """Run a command: ``python -m`` some module is forked where everything is imported, others begin from nothing."""
    environment = {**os.environ, **_settings(server)}
    if tuple(command[:2]) == COMMAND[:2]:
        return ForkedCommand(command[2], [*command[3:], *arguments], environment)
    return subprocess.Popen([*command, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ended(run: Run) -> tuple[int, str]:
    """Exit code of a run, and what it said on standard error but for its progress."""
    _, error = run.communicate()
    said = [line for line in error.decode().splitlines() if not line.startswith(("indexing", "building"))]
    return run.wait(), "\n".join(said)


def done(run: Run) -> None:
    """A run that ends well, without a word."""
    outcome = ended(run)
    assert outcome == (0, "")


def export(workspace: Path) -> str:
    """All that a workspace knows, once it has been found sound."""
    store = SqliteStore(workspace, "hashing-384")
    try:
        assert store.problems() == []
        return canonical(store)
    finally:
        store.close()


def wait_for_calls(run: Run, server: ModelServer, calls: int) -> None:
    """Until a run has asked so many times, or is over."""
    wanted = len(server.calls) + calls
    while len(server.calls) < wanted and run.poll() is None:
        time.sleep(0.005)


def times_asked(server: ModelServer) -> Counter[str]:
    """How often each request was answered."""
    return Counter(call.asked.text for call in server.calls if call.status == 200)


def paid_twice(server: ModelServer) -> int:
    """How many answers were given that had been given before."""
    asked = times_asked(server)
    return asked.total() - len(asked)


def _settings(server: ModelServer | None) -> dict[str, str]:
    named = {"POLYADIC_EMBEDDING__MODEL": "hashing"}
    if server is not None:
        model = {"NAME": "recorded", "BASE_URL": server.url, "KEY_VARIABLE": "", "AT_ONCE": str(AT_ONCE)}
        chunking = {"TOKENS": "50", "OVERLAP": "0", "WINDOW_TOKENS": "0"}
        named |= {f"POLYADIC_MODEL__{name}": value for name, value in model.items()}
        named |= {f"POLYADIC_CHUNKING__{name}": value for name, value in chunking.items()}
    return named
