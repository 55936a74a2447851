"""kill -9 at random moments of building a hierarchy: what was answered and kept is not paid for again."""

import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.model.hierarchy import Hierarchy
from polyadic.workspace import Workspace
from tests.crashes.commands import AT_ONCE, COMMAND, ended, export, started, times_asked
from tests.hierarchy.towns import by_model, documents, hierarchy_of
from tests.model_server import ModelServer, ready

pytestmark = pytest.mark.slow

DOCUMENTS, KILLS = 80, 12


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready(), delay=0.02) as running:
        yield running


def building(folder: Path, server: ModelServer) -> subprocess.Popen[bytes]:
    return started(COMMAND, "-w", str(folder), "hierarchy", "build", server=server)


def held(folder: Path, server: ModelServer) -> Hierarchy:
    with Workspace(folder, by_model(server)) as kb:
        return hierarchy_of(kb)


def wait_for_calls(run: subprocess.Popen[bytes], server: ModelServer, calls: int) -> None:
    """Until a run has asked so many times, or is over."""
    wanted = len(server.calls) + calls
    while len(server.calls) < wanted and run.poll() is None:
        time.sleep(0.005)


def test_build_resumes_after_kill_at_any_moment(tmp_path: Path, server: ModelServer) -> None:
    with Workspace(tmp_path / "towns", by_model(server)) as kb:
        kb.add(documents(0, DOCUMENTS))
    shutil.copytree(tmp_path / "towns", tmp_path / "undisturbed")
    begun = time.monotonic()
    assert ended(building(tmp_path / "undisturbed", server)) == (0, "")
    seconds, calls = time.monotonic() - begun, len(server.calls)
    expected = held(tmp_path / "undisturbed", server)
    drawn, killed, folder = random.Random(7), 0, tmp_path / "killed"
    shutil.copytree(tmp_path / "towns", folder)
    server.reset()
    for kill in range(KILLS):
        run = building(folder, server)
        if kill < KILLS // 2:
            # However fast the machine is, so many calls are never all of those that are left.
            wait_for_calls(run, server, drawn.randint(1, calls // KILLS))
        else:
            time.sleep(drawn.uniform(0.3, 0.8) * seconds)
        run.send_signal(signal.SIGKILL)
        killed += ended(run)[0] == -signal.SIGKILL
        assert held(folder, server) in (Hierarchy(), expected)
    assert ended(building(folder, server))[0] == 0
    assert held(folder, server) == expected and export(folder) == export(tmp_path / "undisturbed")
    asked = times_asked(server)
    assert len(asked) == calls and asked.total() <= calls + killed * AT_ONCE
    assert killed >= KILLS // 2
