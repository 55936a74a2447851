"""The command in processes of its own, and what it leaves behind."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from polyadic.storage.sqlite.store import SqliteStore
from tests.model_server import ModelServer
from tests.support.canonical import canonical

AT_ONCE = 2
COMMAND = (sys.executable, "-m", "polyadic")


def indexing(
    paths: Path | Sequence[Path],
    workspace: Path,
    server: ModelServer | None = None,
    command: Sequence[str] = COMMAND,
) -> subprocess.Popen[bytes]:
    """``polyadic index`` in a process of its own; without a server, no language model is used."""
    files = [str(path) for path in ([paths] if isinstance(paths, Path) else paths)]
    return started(command, "-w", str(workspace), "index", *files, server=server)


def started(command: Sequence[str], *arguments: str, server: ModelServer | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*command, *arguments],
        env={**os.environ, **_settings(server)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def ended(run: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Exit code of a run, and what it said on standard error but for its progress."""
    _, error = run.communicate()
    said = [line for line in error.decode().splitlines() if not line.startswith(("indexing", "building"))]
    return run.returncode, "\n".join(said)


def done(run: subprocess.Popen[bytes]) -> None:
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
