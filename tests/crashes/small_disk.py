"""A disk of a few megabytes, which needs no rights but those to a namespace of one's own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_MEGABYTES = 64
_HOLD = 'mount -t tmpfs -o size="$1"m tmpfs "$2" && echo mounted && exec cat'


class NoDisk(Exception):
    """This machine lets nobody make a disk."""


@dataclass(frozen=True, slots=True)
class Disk:
    """``folder`` is where it begins, to a process that is ``within``; others see the same as ``outside``."""

    folder: Path
    holder: int

    @property
    def within(self) -> tuple[str, ...]:
        """What to put before a command so that it sees the disk."""
        here = f"--wd={Path.cwd()}"
        return ("nsenter", "--user", "--mount", "--preserve-credentials", here, f"--target={self.holder}")

    @property
    def outside(self) -> Path:
        """The kernel takes everyone there who does not resolve the links of the path before (SQLite does)."""
        return Path(f"/proc/{self.holder}/root{self.folder}")

    def leave_only(self, room: int) -> None:
        """Fill it up, but for so many bytes."""
        free = shutil.disk_usage(self.outside).free
        with self._ballast.open("wb") as file:
            if free > room:
                os.posix_fallocate(file.fileno(), 0, free - room)

    def make_room(self) -> None:
        self._ballast.unlink()

    @property
    def _ballast(self) -> Path:
        return self.outside / "ballast"


@contextmanager
def small_disk(mount_point: Path) -> Iterator[Disk]:
    """A disk that is there as long as the context lasts, whatever becomes of the test.

    Raises
    ------
    NoDisk
        Namespaces or mounts are not to be had.
    """
    if not shutil.which("unshare") or not shutil.which("nsenter"):
        raise NoDisk("there is no unshare or no nsenter command")
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _HOLD, "sh"]
    holder = subprocess.Popen(
        [*command, str(_MEGABYTES), str(mount_point)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stderr is not None
        if not holder.stdout.readline():
            raise NoDisk(holder.stderr.read().decode().strip())
        yield Disk(mount_point.resolve(), holder.pid)
