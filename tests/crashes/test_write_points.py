"""kill -9 at every named point at which indexing writes, before and after the commit: nothing is lost or paid twice."""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.indexing.document_batches import BATCH_DOCUMENTS
from tests.crashes.commands import AT_ONCE, COMMAND, done, ended, export, indexing, paid_twice, times_asked
from tests.crashes.killed_at import MOMENTS, POINTS
from tests.model_server import ModelServer, ready
from tests.support.with_a_model import story

pytestmark = pytest.mark.slow

BEFORE, CHANGED, AFTER = 6, 3, BATCH_DOCUMENTS + 6  # two batches
AGAIN = ("staging", "keeping a reply", "putting vectors", "making current")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As they are when a run is killed."""
    return written(tmp_path_factory.mktemp("letters"), AFTER, 0)


@pytest.fixture(scope="module")
def before(letters: Path, server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of some of the letters, of which a few said something else then."""
    earlier, workspace = written(tmp_path_factory.mktemp("earlier"), BEFORE, CHANGED), tmp_path_factory.mktemp("before")
    held = letters.rename(letters.with_name("held"))
    earlier.rename(letters)
    try:
        done(indexing(letters, workspace, server))
    finally:
        shutil.rmtree(letters)
        held.rename(letters)
    return workspace


@pytest.fixture(scope="module")
def expected(letters: Path, before: Path, server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the result of a run that is not killed, whether or not anything was there before."""
    fresh, updated = tmp_path_factory.mktemp("fresh"), tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(before, updated, dirs_exist_ok=True)
    done(indexing(letters, fresh, server))
    done(indexing(letters, updated, server))
    assert export(fresh) == export(updated)
    return export(fresh)


def written(folder: Path, count: int, changed: int) -> Path:
    for part in range(count):
        (folder / f"{part:02}.txt").write_text(story(500 + part if part < changed else part, 4))
    return folder


def cases() -> Iterator[tuple[str, str, int]]:
    for point in POINTS:
        for moment in MOMENTS:
            for which in (1, 2) if point in AGAIN else (1,):
                yield point, moment, which


@pytest.mark.parametrize(("point", "moment", "which"), list(cases()))
def test_run_killed_at_any_write_point_resumes(
    letters: Path, before: Path, expected: str, server: ModelServer, tmp_path: Path, point: str, moment: str, which: int
) -> None:
    made_anew = point in ("making the tables", "naming the embedder")
    workspace = tmp_path / "kb"
    if not made_anew:
        shutil.copytree(before, workspace)
    server.reset()
    killer = (COMMAND[0], "-m", "tests.crashes.killed_at", point, moment, str(which))
    code, said = ended(indexing(letters, workspace, server, command=killer))
    assert (code, said) == (-signal.SIGKILL, "")
    assert export(workspace).count('["document"') in (0 if made_anew else BEFORE, BATCH_DOCUMENTS, AFTER)

    done(indexing(letters, workspace, server))
    assert export(workspace) == expected
    assert len(times_asked(server)) == (AFTER if made_anew else AFTER - BEFORE + CHANGED)
    assert paid_twice(server) <= AT_ONCE
