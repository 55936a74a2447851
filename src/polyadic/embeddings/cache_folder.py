"""The user's cache: fetched weights, and small files that spare work and can be deleted at any time."""

import os
import tempfile
from pathlib import Path

from platformdirs import user_cache_dir


def cache_folder() -> Path:
    """The folder of everything that Polyadic keeps for this user outside workspaces; it may not exist yet."""
    return Path(user_cache_dir("polyadic"))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody, not even after a crash, ever sees a part of it: aside, synced, renamed.

    Raises
    ------
    OSError
        The file cannot be written; what was there before still is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
