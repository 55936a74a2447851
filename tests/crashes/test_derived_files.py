"""What is derived can be lost at any moment: kill -9 while the arrays are being saved."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from polyadic.config import Settings
from polyadic.workspace import Workspace
from tests.crashes.commands import COMMAND, done, ended, indexing, started
from tests.crashes.killed_saving import MOMENTS
from tests.support.with_a_model import HASHING, story, write_letters

pytestmark = pytest.mark.slow

QUESTION = "Who sent letter 3001?"


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letters(tmp_path_factory.mktemp("letters"), 5, 8)


@pytest.fixture(scope="module")
def indexed(letters: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that nobody has asked anything yet."""
    workspace = tmp_path_factory.mktemp("indexed")
    done(indexing(letters, workspace))
    assert not (workspace / "derived").exists()
    return workspace


@pytest.fixture
def workspace(indexed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(indexed, tmp_path / "kb"))


@pytest.fixture(scope="module")
def expected(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return answer(Path(shutil.copytree(indexed, tmp_path_factory.mktemp("undisturbed") / "kb")))


@pytest.mark.parametrize("moment", MOMENTS)
def test_query_works_after_a_kill_while_saving_arrays(
    letters: Path, workspace: Path, expected: str, moment: str
) -> None:
    killer = (COMMAND[0], "-m", "tests.crashes.killed_saving", moment)
    assert ended(started(killer, "-w", str(workspace), "query", QUESTION)) == (-signal.SIGKILL, "")
    assert answer(workspace) == expected
    states = saved(workspace)
    assert len(states) == 1

    # Deleting a document leaves the arrays as they are: what has changed since is read beside them.
    done(started(COMMAND, "-w", str(workspace), "delete", str(letters / "0.txt")))
    assert "letter 3001" in answer(workspace)
    assert saved(workspace) == states


@pytest.mark.parametrize("moment", MOMENTS)
def test_query_works_after_a_kill_while_rebuilding_arrays(
    workspace: Path, expected: str, tmp_path: Path, moment: str
) -> None:
    assert answer(workspace) == expected
    (before,) = saved(workspace)
    # Half of what may be kept of changes: enough for new arrays, and the old ones still lead to the present state.
    (tmp_path / "more.txt").write_text(story(20, 1_300))
    done(indexing(tmp_path / "more.txt", workspace))
    killer = (COMMAND[0], "-m", "tests.crashes.killed_saving", moment)
    assert ended(started(killer, "-w", str(workspace), "query", QUESTION)) == (-signal.SIGKILL, "")
    assert "letter 3001" in answer(workspace)
    (after,) = saved(workspace) - {before}

    # What the killed process left goes with the next arrays that are saved after a while.
    for entry in (workspace / "derived").iterdir():
        os.utime(entry, (0, 0))
    shutil.rmtree(workspace / "derived" / after)
    assert "letter 3001" in answer(workspace)
    assert {entry.name for entry in (workspace / "derived").iterdir()} == {after}


def saved(workspace: Path) -> set[str]:
    """The states whose arrays are saved."""
    return {entry.name for entry in (workspace / "derived").iterdir() if not entry.name.startswith("writing-")}


def answer(workspace: Path) -> str:
    with Workspace(workspace, Settings(embedding=HASHING)) as kb:
        found = kb.query(QUESTION)
    return "\n".join([found.text, *(citation.place.quote for citation in found.citations)])
