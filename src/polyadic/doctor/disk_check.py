"""Check of free disk space and write permission."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from polyadic.doctor.check_result import CheckResult, bad, doubtful, good

_LOW, _VERY_LOW = 2_000_000_000, 200_000_000


def disk(folder: Path, called: str = "") -> Iterator[CheckResult]:
    """Check free space and write permission of the folder, or of its closest existing parent.

    Parameters
    ----------
    folder
        Folder of the workspace.
    called
        Name to use in messages instead of the path, which clients of a server should not see.
    """
    place = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(place).free
    name = called or str(place)
    space = f"{free / 1e9:.1f} GB free at {name}"
    if not os.access(place, os.W_OK):
        yield bad("disk", f"{name} is not writable", "change its permissions, or choose another folder with -w")
    elif free < _VERY_LOW:
        yield bad("disk", space, "free disk space before indexing")
    elif free < _LOW:
        yield doubtful("disk", space, "free disk space: a store takes about three times its text and vectors")
    else:
        yield good("disk", space)
