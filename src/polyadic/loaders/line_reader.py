"""Read lines of bounded length from files that are too large to hold in memory."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.decoding import UTF_8, binary, has_surrogates, not_utf_8, stream_encoding, undecodable
from polyadic.loaders.file_access import byte_limit, too_large

_BLOCK = 1 << 20
_HEAD = 8_192


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line with its line ending and its number, counted from 1.

    If ``fault`` is set, do not use the line; its text is empty if it was too long to hold.
    """

    number: int
    text: str
    fault: UnreadableDocument | None = None


def lines_of(file: BinaryIO, settings: ReadingSettings) -> Iterator[FileLine]:
    """Yield the lines of a file, each at most ``max_megabytes`` long (one character counts as one byte).

    A line that is too long or not valid UTF-8 is yielded with its fault. In other encodings reading stops at the first
    invalid line, because decoding cannot resynchronize after it.

    Raises
    ------
    UnreadableDocument
        The file looks binary.
    """
    encoding = stream_encoding(file, settings.encoding)
    _refuse_binary(file, encoding)
    # Only UTF-8 can resynchronize after an error; undecodable bytes become surrogates.
    errors = "surrogateescape" if encoding == UTF_8 else "strict"
    text = io.TextIOWrapper(file, encoding=encoding, errors=errors, newline="")
    number = 0
    try:
        while (line := _next_line(text, number + 1, settings.max_megabytes)) is not None:
            yield line
            number += 1
    except UnicodeError as error:
        yield FileLine(number + 1, "", undecodable(error, encoding))
    finally:
        text.detach()


def _refuse_binary(file: BinaryIO, encoding: str) -> None:
    if encoding == UTF_8 and b"\0" in file.read(_HEAD):
        raise binary()
    file.seek(0)


def _next_line(text: io.TextIOWrapper, number: int, max_megabytes: float) -> FileLine | None:
    """Return the next line, or None at the end."""
    limit = byte_limit(max_megabytes)
    line = text.readline(limit + 1)
    if not line:
        return None
    if len(line) > limit:
        return FileLine(number, "", too_large(len(line) + _skip_rest(text, line), max_megabytes))
    return FileLine(number, line, not_utf_8(line) if has_surrogates(line) else None)


def _skip_rest(text: io.TextIOWrapper, line: str) -> int:
    """Skip to the end of a line without storing it; return the number of characters skipped."""
    skipped_characters = 0
    while line and not line.endswith(("\n", "\r")):
        line = text.readline(_BLOCK)
        skipped_characters += len(line)
    return skipped_characters
