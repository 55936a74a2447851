"""Open regular files safely: never block on pipes, and detect files that change while they are read or afterwards."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from polyadic.errors import UnreadableDocument
from polyadic.model.original_file import file_digest, stream_digest

_BYTES_IN_MEGABYTE = 1_000_000
_RAISE_THE_LIMIT = "raise max_megabytes under [reading] in the settings, or split it"

_MOST_MEGABYTES = 1000.0
"""The highest limit that ``max_megabytes`` under ``[reading]`` may set."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading.

    Raises
    ------
    UnreadableDocument
        The file does not exist, may not be read, is not a regular file, or cannot be read to its end. On exit: the
        file changed while it was open.
    """
    try:
        with _open_without_blocking(path) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise UnreadableDocument("not a regular file", "give a file or a folder")
            yield file
            after = os.fstat(file.fileno())
    except OSError as error:
        raise unreadable_from(error) from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise UnreadableDocument("changed while it was being read", "index it again when it is complete")


def read_whole(path: Path, max_megabytes: float) -> bytes:
    """Read a whole file; raise UnreadableDocument, without reading, if it exceeds the limit in megabytes."""
    limit = byte_limit(max_megabytes)
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise too_large(size, max_megabytes)
        data = file.read(limit + 1)
    # Some file systems (such as /proc) report no size, so check the bytes read as well.
    if len(data) > limit:
        raise too_large(len(data), max_megabytes)
    return data


def byte_limit(max_megabytes: float) -> int:
    """Convert a limit in megabytes (10^6 bytes) to bytes, at least 1."""
    return max(1, int(max_megabytes * _BYTES_IN_MEGABYTE))


def too_large(size: int, max_megabytes: float) -> UnreadableDocument:
    """Return the error for a text of this many bytes, which is over the limit.

    >>> print(too_large(61_500_000, 50.0).what)
    61.5 MB is over the limit of 50 MB
    """
    what = f"{size / _BYTES_IN_MEGABYTE:,.6g} MB is over the limit of {max_megabytes:,g} MB"
    return UnreadableDocument(what, _RAISE_THE_LIMIT)


def unreadable_from(error: OSError) -> UnreadableDocument:
    """Convert an operating system error into one with a hint what to do."""
    if isinstance(error, FileNotFoundError):
        return UnreadableDocument("no such file or folder", "check the path")
    if isinstance(error, PermissionError):
        return UnreadableDocument("permission denied", "grant read permission for it")
    return UnreadableDocument((error.strerror or str(error)).lower(), "check the disk and the path")


def _open_without_blocking(path: Path) -> BinaryIO:
    """Open for reading without blocking, in case a named pipe has replaced the file."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


def unchanged_content(path: Path, digest: str) -> bytes | None:
    """Return the content of a file; None if it cannot be read or has another digest."""
    try:
        content = read_whole(path, _MOST_MEGABYTES)
    except UnreadableDocument:
        return None
    return content if file_digest(content) == digest else None


def is_unchanged(path: Path, digest: str) -> bool:
    """Return whether a file can be read and has this digest; reads it in blocks."""
    try:
        with opened(path) as file:
            found = stream_digest(file)
    except UnreadableDocument:
        return False
    return found == digest
