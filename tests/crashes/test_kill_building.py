"""kill -9 all over the building of a hierarchy, and where it is stored: no answer that was kept is paid for again."""

import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from polyadic.model.hierarchy import Hierarchy
from polyadic.workspace import Workspace
from tests.crashes.commands import AT_ONCE, COMMAND, Run, ended, export, started, times_asked, wait_for_calls
from tests.crashes.killed_at import MOMENTS, POINTS_OF_BUILDING
from tests.hierarchy.towns import by_model, documents, hierarchy_of
from tests.model_server import ModelServer, ready

pytestmark = pytest.mark.slow

DOCUMENTS, KILLS = 40, 5


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready(), delay=0.02) as running:
        yield running


def building(folder: Path, server: ModelServer, command: Sequence[str] = COMMAND) -> Run:
    return started(command, "-w", str(folder), "hierarchy", "build", server=server)


def held(folder: Path, server: ModelServer) -> Hierarchy:
    with Workspace(folder, by_model(server)) as kb:
        return hierarchy_of(kb)


def test_build_resumes_after_kill_at_any_moment(tmp_path: Path, server: ModelServer) -> None:
    with Workspace(tmp_path / "towns", by_model(server)) as kb:
        kb.add(documents(0, DOCUMENTS))
    shutil.copytree(tmp_path / "towns", tmp_path / "undisturbed")
    assert ended(building(tmp_path / "undisturbed", server)) == (0, "")
    calls, expected = len(server.calls), held(tmp_path / "undisturbed", server)
    folder = tmp_path / "killed"
    shutil.copytree(tmp_path / "towns", folder)
    server.reset()
    for _ in range(KILLS):
        run = building(folder, server)
        # So few that some are always left, also where a busy machine kills late.
        wait_for_calls(run, server, calls // (KILLS + 3))
        run.send_signal(signal.SIGKILL)
        assert ended(run)[0] == -signal.SIGKILL
        assert held(folder, server) == Hierarchy()
    for moment, then in zip(MOMENTS, (Hierarchy(), expected), strict=True):
        killer = (COMMAND[0], "-m", "tests.crashes.killed_at", *POINTS_OF_BUILDING, moment, "1")
        assert ended(building(folder, server, killer)) == (-signal.SIGKILL, "")
        assert held(folder, server) == then
    assert ended(building(folder, server))[0] == 0
    assert held(folder, server) == expected and export(folder) == export(tmp_path / "undisturbed")
    asked = times_asked(server)
    assert len(asked) == calls and asked.total() <= calls + KILLS * AT_ONCE
