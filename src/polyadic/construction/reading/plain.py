"""Plain text files, and the titles that plain text carries."""

import re
from collections.abc import Iterator
from pathlib import Path

from polyadic.construction.reading.decode import decode
from polyadic.construction.reading.files import read_whole
from polyadic.construction.reading.metadata import title_of
from polyadic.knowledge import Document
from polyadic.settings import ReadingSettings

_HEADER_LINES = 40
_LONGEST_FIRST_LINE = 100
_TITLE_LINE = re.compile(r"Title:[ \t]*(\S.*)")
_ENDS_A_SENTENCE = re.compile(r"[.!?;,:。！？；，：][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")


def read_plain(path: Path, settings: ReadingSettings) -> Iterator[Document]:
    """The one document of a text file.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    text = decode(read_whole(path, settings.max_megabytes), settings.encoding)
    yield Document(str(path), plain_title(text), text)


def plain_title(text: str) -> str:
    """What a text calls itself: a "Title:" line near its beginning, else a first line that stands alone.

    >>> plain_title("On Engines\\n\\nThe first engine was never built.")
    'On Engines'
    >>> plain_title("The first engine was never built.\\n\\nNor was the second.")
    ''
    """
    beginning = text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    named = next((found for line in beginning if (found := _TITLE_LINE.fullmatch(line.strip()))), None)
    return title_of(named.group(1)) if named else _first_line(text)


def _first_line(text: str) -> str:
    """The first line, if it is short, no sentence, and the text goes on after a blank line."""
    first, _, rest = text.lstrip().partition("\n")
    line = first.strip()
    blank, _, following = rest.partition("\n")
    stands_alone = not blank.strip() and bool(following.strip())
    is_short = len(line) <= _LONGEST_FIRST_LINE and bool(_LETTER.search(line))
    return title_of(line) if stands_alone and is_short and not _ENDS_A_SENTENCE.search(line) else ""
