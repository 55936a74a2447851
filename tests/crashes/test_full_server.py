"""No room left on the server's disk: one clear line, and once there is room the run goes on from there."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from tests.crashes.commands import COMMAND, ended, started
from tests.support import postgres
from tests.support.canonical import canonical
from tests.support.own_server import OwnServer, own_folder, own_server
from tests.support.with_a_model import write_letters

pytestmark = pytest.mark.slow

LETTERS, SENTENCES = 40, 8
IMPATIENT = (COMMAND[0], "-m", "tests.crashes.impatient", "3")
MEGABYTES = 160
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    """A disk that has no more room than memory was set aside for it; to mount one takes rights."""
    with own_folder() as point:
        command = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(point)]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("no disk can be made here (mounting one takes rights)")
        try:
            yield point
        finally:
            subprocess.run(["umount", "--lazy", str(point)], check=True)  # noqa: S607


@pytest.fixture(scope="module")
def server(disk: Path) -> Iterator[OwnServer]:
    with own_server(disk) as running:
        yield running


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_letters(tmp_path_factory.mktemp("letters"), LETTERS, SENTENCES)


@pytest.fixture(scope="module")
def undisturbed(letters: Path) -> str:
    place = f"{postgres.server()}#{postgres.fresh()}"
    assert ended(started(COMMAND, "-w", place, "index", str(letters))) == (0, "")
    return contents_of(place)


def contents_of(place: str) -> str:
    """All that a workspace knows, once it has been found sound."""
    with contextlib.closing(PostgresStore(PostgresDsn.of(place), "hashing-384")) as store:
        assert store.problems() == []
        return canonical(store)


@contextlib.contextmanager
def only(room: int, disk: Path) -> Iterator[None]:
    """Fill a disk up, but for so many bytes, as long as the context lasts."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, shutil.disk_usage(disk).free - room))
    try:
        yield
    finally:
        ballast.unlink()


@pytest.mark.parametrize("room", [0, 1, 2], ids=lambda room: f"{room}MB")
def test_full_database_disk_fails_in_one_line_and_the_run_resumes(
    letters: Path, undisturbed: str, server: OwnServer, disk: Path, room: int
) -> None:
    """The server refuses single changes, or, without room for its log, ends altogether until there is some."""
    place = f"{server.database}#{postgres.fresh()}"
    with only(room * MEGABYTE, disk):
        code, said = ended(started(IMPATIENT, "-w", place, "index", str(letters)))
    assert code == 1
    assert len(said.splitlines()) == 1 and said.startswith("polyadic: postgresql://") and "again" in said
    assert "space on the server's disk" in said or "check that the server is running" in said
    server.start()
    assert ended(started(COMMAND, "-w", place, "index", str(letters))) == (0, "")
    assert contents_of(place) == undisturbed
