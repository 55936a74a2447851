"""One process writes, others read: each reading is of one committed state, and nothing goes wrong."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyadic.workspace import Workspace
from tests.concurrent_processes.letters import SETTINGS
from tests.concurrent_processes.reading import QUESTION, querying
from tests.support import postgres

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("engine", "readers", "seconds"),
    [
        pytest.param("sqlite", 3, 5, id="sqlite"),
        pytest.param("postgres", 2, 4, id="postgres"),
    ],
)
def test_every_read_sees_one_committed_state(tmp_path: Path, engine: str, readers: int, seconds: int) -> None:
    place = str(tmp_path / "kb") if engine == "sqlite" else f"{postgres.server()}#{postgres.fresh()}"
    committed = tmp_path / "version"
    reading: list[subprocess.Popen[bytes]] = []
    writer = started("writing", place, str(committed), stdin=subprocess.PIPE)
    try:
        wait_for(committed)
        reading += [started("reading", place, str(committed), str(seconds)) for _ in range(readers)]
        counts = [output_of(run) for run in reading]
        written = output_of(writer)
    finally:
        for run in (*reading, writer):
            run.kill()
            run.communicate()
    print(f"writer {written}", *counts, sep="\n")
    assert written["versions"] > 2
    assert written["versions"] >= max(count["versions"] for count in counts)
    assert all(looks for count in counts for looks in count.values())
    with Workspace(place, SETTINGS) as kb:
        assert kb.store().problems() == []
        # Nobody changes anything now, so every citation has its page.
        assert len(querying(kb)) == 1
        assert all(citation.place.page for citation in kb.query(QUESTION).citations)


def started(module: str, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.concurrent_processes.{module}", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def output_of(run: subprocess.Popen[bytes]) -> dict[str, int]:
    """What a process counted; it must have ended well and in silence."""
    output, error = run.communicate()
    assert run.returncode == 0, error.decode()
    assert error == b""
    counts: dict[str, int] = json.loads(output)
    return counts


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
