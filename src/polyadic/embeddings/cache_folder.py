"""The user's cache folder: downloaded weights, and small files that can be deleted at any time."""

import os
import tempfile
from pathlib import Path

from platformdirs import user_cache_dir


def cache_folder() -> Path:
    """Return the folder for all data of this user outside workspaces; it may not exist yet."""
    return Path(user_cache_dir("polyadic"))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically: write a temporary file, sync it, and rename it.

    Raises
    ------
    OSError
        The file cannot be written; the previous file is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
