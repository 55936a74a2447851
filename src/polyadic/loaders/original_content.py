"""Read the file that a document was read from once more."""

from pathlib import Path

from polyadic.errors import UnreadableDocument
from polyadic.loaders.file_access import opened, read_whole
from polyadic.model.original_file import file_digest, stream_digest

_MOST_MEGABYTES = 1000.0
"""The highest limit that ``max_megabytes`` under ``[reading]`` may set."""


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
