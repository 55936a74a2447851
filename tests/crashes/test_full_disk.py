"""No room left on the disk: one clear line, a sound store, and once there is room the run goes on from there."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyadic.indexing.document_batches import BATCH_DOCUMENTS
from tests.crashes.commands import AT_ONCE, COMMAND, done, ended, export, indexing, paid_twice, started, times_asked
from tests.crashes.small_disk import Disk, NoDisk, small_disk
from tests.model_server import ModelServer, ready
from tests.support.with_a_model import write_letters

pytestmark = pytest.mark.slow

LETTERS, SENTENCES = 80, 8
KILOBYTE = 1024


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """Return the result of a run with room enough, and how often it asks the model."""

    known: str
    calls: int


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letters(tmp_path_factory.mktemp("letters"), LETTERS, SENTENCES)


@pytest.fixture(scope="module")
def undisturbed(letters: Path, server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    server.reset()
    done(indexing(letters, folder, server))
    return Undisturbed(export(folder), len(times_asked(server)))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    point = tmp_path / "disk"
    point.mkdir()
    try:
        with small_disk(point) as made:
            yield made
    except NoDisk as why:
        pytest.skip(f"no disk can be made here ({why})")


@pytest.mark.parametrize("room", [0, 200, 3200], ids=lambda room: f"{room}kB")
def test_full_disk_fails_in_one_line_and_the_run_resumes(
    letters: Path, undisturbed: Undisturbed, server: ModelServer, disk: Disk, tmp_path: Path, room: int
) -> None:
    workspace, command = disk.folder / "kb", (*disk.within, *COMMAND)
    server.reset()
    disk.leave_only(room * KILOBYTE)
    code, said = ended(indexing(letters, workspace, server, command=command))
    assert code == 1
    assert_one_line_about_room(said)
    shutil.copytree(disk.outside / "kb", tmp_path / "kept")
    kept = export(tmp_path / "kept")
    assert kept.count('["document"') in (0, BATCH_DOCUMENTS)

    disk.make_room()
    done(indexing(letters, workspace, server, command=command))
    shutil.copytree(disk.outside / "kb", tmp_path / "whole")
    assert export(tmp_path / "whole") == undisturbed.known
    assert len(times_asked(server)) == undisturbed.calls
    assert paid_twice(server) <= AT_ONCE


@pytest.mark.parametrize("room", [0, 64, 3200], ids=lambda room: f"{room}kB")
def test_file_size_limit_fails_in_one_line_and_the_run_resumes(
    letters: Path, undisturbed: Undisturbed, server: ModelServer, tmp_path: Path, room: int
) -> None:
    server.reset()
    limited = (COMMAND[0], "-m", "tests.crashes.limited", str(room * KILOBYTE))
    code, said = ended(indexing(letters, tmp_path, server, command=limited))
    assert code == 1
    assert_one_line_about_room(said)

    done(indexing(letters, tmp_path, server))
    assert export(tmp_path) == undisturbed.known
    assert len(times_asked(server)) == undisturbed.calls
    assert paid_twice(server) <= AT_ONCE


@pytest.mark.parametrize("room", [0, 64], ids=lambda room: f"{room}kB")
def test_queries_work_on_a_full_disk(letters: Path, disk: Disk, room: int) -> None:
    """SQLite itself needs 32 kB beside the store; without even these, that is what one is told."""
    workspace, command = disk.folder / "kb", (*disk.within, *COMMAND)
    file = letters / "03.txt"
    done(indexing([file, letters / "04.txt"], workspace, command=command))
    disk.leave_only(room * KILOBYTE)
    for arguments in (["query", "Who sent letter 3001?"], ["status"], ["show", "document", str(file)]):
        code, said = ended(started(command, "-w", str(workspace), *arguments))
        if room:
            assert (code, said) == (0, "")
        else:
            assert code == 1
            assert_one_line_about_room(said)


def assert_one_line_about_room(said: str) -> None:
    assert len(said.splitlines()) == 1
    assert said.startswith("polyadic: ")
    assert "disk" in said
    assert "this again" in said
