"""One process writes, others read: each reading is of one committed state, and nothing goes wrong."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyadic.workspace import Workspace
from tests.processes.letters import SETTINGS
from tests.processes.reading import QUESTION, querying

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("readers", "seconds"), [pytest.param(2, 4, id="short"), pytest.param(8, 60, id="long")])
def test_every_reading_is_of_one_committed_state(tmp_path: Path, readers: int, seconds: int) -> None:
    folder = tmp_path / "kb"
    reading: list[subprocess.Popen[bytes]] = []
    writer = started("writing", str(folder), stdin=subprocess.PIPE)
    try:
        wait_for(folder.with_suffix(".version"))
        reading += [started("reading", str(folder), str(seconds)) for _ in range(readers)]
        counts = [told(run) for run in reading]
        written = told(writer)
    finally:
        for run in (*reading, writer):
            run.kill()
            run.communicate()
    print(f"writer {written}", *counts, sep="\n")
    assert written["versions"] > 2
    assert written["versions"] >= max(count["versions"] for count in counts)
    assert all(looks for count in counts for looks in count.values())
    with Workspace(folder, SETTINGS) as kb:
        assert kb.store().problems() == []
        # Nobody changes anything now, so every citation has its page.
        assert len(querying(kb)) == 1
        assert all(citation.place.page for citation in kb.query(QUESTION).citations)


def started(module: str, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.processes.{module}", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def told(run: subprocess.Popen[bytes]) -> dict[str, int]:
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
