"""Whether there is room for the workspace to grow."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from polyadic.doctor.check_result import CheckResult, bad, doubtful, good

_LITTLE, _VERY_LITTLE = 2_000_000_000, 200_000_000


def disk(folder: Path, called: str = "") -> Iterator[CheckResult]:
    """Free space where the workspace is or will be, and whether it may be written to.

    ``called`` stands for the place in what is said, where its path is not to be named.
    """
    place = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(place).free
    name = called or str(place)
    room = f"{free / 1e9:.1f} GB free at {name}"
    if not os.access(place, os.W_OK):
        yield bad("disk", f"{name} may not be written to", "give yourself the right, or choose another folder with -w")
    elif free < _VERY_LITTLE:
        yield bad("disk", room, "make room before indexing")
    elif free < _LITTLE:
        yield doubtful("disk", room, "a store takes about three times its text and vectors: make room")
    else:
        yield good("disk", room)
