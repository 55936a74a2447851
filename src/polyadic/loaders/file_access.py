"""Opening files without surprises: nothing that blocks, nothing that changes meanwhile."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from polyadic.errors import UnreadableDocument

_BYTES_IN_MEGABYTE = 1_000_000
_RAISE_THE_LIMIT = "raise max_megabytes under [reading] in the settings, or split it"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file, open for reading.

    Raises
    ------
    UnreadableDocument
        It has vanished, is not permitted, is no regular file, cannot be read to its end, or was written to
        meanwhile (this last one on leaving).
    """
    try:
        with _open_at_once(path) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise UnreadableDocument("not a regular file", "give a file or a folder")
            yield file
            after = os.fstat(file.fileno())
    except OSError as error:
        raise why_not(error) from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise UnreadableDocument("changed while it was being read", "index it again when it is complete")


def read_whole(path: Path, max_megabytes: float) -> bytes:
    """All bytes of a file of at most this many millions of them; a larger one is refused unread."""
    limit = byte_limit(max_megabytes)
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise too_large(size, max_megabytes)
        data = file.read(limit + 1)
    # Some file systems report no size (such as /proc), so what was read counts as well.
    if len(data) > limit:
        raise too_large(len(data), max_megabytes)
    return data


def byte_limit(max_megabytes: float) -> int:
    """The setting in bytes, at least 1."""
    return max(1, int(max_megabytes * _BYTES_IN_MEGABYTE))


def too_large(size: int, max_megabytes: float) -> UnreadableDocument:
    """The refusal of a text of this many bytes.

    >>> print(too_large(61_500_000, 50.0).what)
    61.5 MB is over the limit of 50 MB
    """
    what = f"{size / _BYTES_IN_MEGABYTE:,.6g} MB is over the limit of {max_megabytes:,g} MB"
    return UnreadableDocument(what, _RAISE_THE_LIMIT)


def why_not(error: OSError) -> UnreadableDocument:
    """An error of the operating system in words that suggest what to do."""
    if isinstance(error, FileNotFoundError):
        return UnreadableDocument("no such file or folder", "check the path")
    if isinstance(error, PermissionError):
        return UnreadableDocument("permission denied", "give yourself the right to read it")
    return UnreadableDocument((error.strerror or str(error)).lower(), "check the disk and the path")


def _open_at_once(path: Path) -> BinaryIO:
    """Open for reading; a named pipe that has taken the file's place is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise
