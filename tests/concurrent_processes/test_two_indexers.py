"""Two processes that write to one workspace: one is refused in one line, and nothing is lost."""

import random
import signal
import time
from pathlib import Path

import pytest

from tests.crashes.commands import COMMAND, Run, done, ended, export, indexing, started

pytestmark = pytest.mark.slow

DOCUMENTS, SHARED = 40, 15
NAMES = ("Ada Lovelace", "Charles Babbage", "London", "Luigi Menabrea", "Turin", "Mary Somerville")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], list[Path]]:
    """Files for each of two indexers; some are for both."""
    folder, drawn = tmp_path_factory.mktemp("corpus"), random.Random(5)
    files = []
    for number in range(2 * DOCUMENTS - SHARED):
        file = folder / f"{number:03}.txt"
        said = [f"{' and '.join(drawn.sample(NAMES, 3))} spoke of engine {drawn.randrange(99)}." for _ in range(10)]
        file.write_text(" ".join(said))
        files.append(file)
    return files[:DOCUMENTS], files[DOCUMENTS - SHARED :]


@pytest.fixture(scope="module")
def expected(halves: tuple[list[Path], list[Path]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the result of one after the other."""
    folder = tmp_path_factory.mktemp("serial")
    for files in halves:
        done(indexing(files, folder))
    return export(folder)


@pytest.mark.parametrize("lead", [0.0, 0.2, 0.6])
def test_two_indexers_lose_nothing(
    halves: tuple[list[Path], list[Path]], expected: str, tmp_path: Path, lead: float
) -> None:
    """Also where both find no workspace, and each would make it."""
    runs = [indexing(halves[0], tmp_path)]
    time.sleep(lead)
    runs.append(indexing(halves[1], tmp_path))
    outcomes = [ended(run) for run in runs]
    assert (0, "") in outcomes
    for files, outcome in zip(halves, outcomes, strict=True):
        if outcome != (0, ""):
            assert_refused(outcome, tmp_path)
            done(indexing(files, tmp_path))
    assert export(tmp_path) == expected


def test_many_indexers_of_the_same_files_end_like_one(
    halves: tuple[list[Path], list[Path]], expected: str, tmp_path: Path
) -> None:
    both = sorted({*halves[0], *halves[1]})
    outcomes = [ended(run) for run in [indexing(both, tmp_path) for _ in range(6)]]
    assert (0, "") in outcomes
    for outcome in outcomes:
        if outcome != (0, ""):
            assert_refused(outcome, tmp_path)
    assert export(tmp_path) == expected


def test_killed_indexer_does_not_block_others(
    halves: tuple[list[Path], list[Path]], expected: str, tmp_path: Path
) -> None:
    run = indexing(halves[0], tmp_path)
    wait_until_it_writes(run, tmp_path)
    run.send_signal(signal.SIGKILL)
    assert ended(run) == (-signal.SIGKILL, "")
    for files in halves:
        done(indexing(files, tmp_path))
    assert export(tmp_path) == expected


def test_a_document_is_deleted_while_others_are_indexed(
    halves: tuple[list[Path], list[Path]], expected: str, tmp_path: Path
) -> None:
    """It waits for nobody: it is refused until the other has ended, or comes before it."""
    gone = tmp_path / "gone.txt"
    gone.write_text("Ada Lovelace met a Person Who Is Forgotten in London.")
    for attempt in range(4):
        workspace = tmp_path / f"kb-{attempt}"
        done(indexing(gone, workspace))
        run = indexing([*halves[0], *halves[1]], workspace)
        wait_until_it_writes(run, workspace)
        deletion = (COMMAND, "-w", str(workspace), "delete", str(gone))
        # Held where it is, as reading may be over before another command has begun, or, on a busy machine, before this.
        run.send_signal(signal.SIGSTOP)
        outcome = ended(started(*deletion))
        run.send_signal(signal.SIGCONT)
        if outcome[0]:
            break
        done(run)
    assert_refused(outcome, workspace)
    while (outcome := ended(started(*deletion))) != (0, ""):
        assert_refused(outcome, workspace)
    done(run)
    assert export(workspace) == expected


def assert_refused(outcome: tuple[int, str], workspace: Path) -> None:
    code, said = outcome
    assert code == 1
    assert len(said.splitlines()) == 1
    assert said.startswith("polyadic: another process")
    assert said.endswith(f"is writing to {workspace}: wait for it to end, then run this again")


def wait_until_it_writes(run: Run, workspace: Path) -> None:
    while pid_of(workspace) != str(run.pid):
        assert run.poll() is None
        time.sleep(0.01)


def pid_of(workspace: Path) -> str:
    file = workspace / "writer.pid"
    return file.read_text() if file.exists() else ""
