"""Plain text files, and the titles that plain text carries."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.loaders.decoding import checked, decode
from polyadic.loaders.file_access import read_whole
from polyadic.loaders.formats.markdown import markdown_title
from polyadic.loaders.metadata import title_of
from polyadic.loaders.pages.changelog import begins_with_entry
from polyadic.loaders.pages.paged_text import running_text
from polyadic.loaders.tables.text_tables import with_rows
from polyadic.model.types import Document
from polyadic.text.code_fences import without_headings

_HEADER_LINES = 40
_LONGEST_FIRST_LINE = 100
_TITLE_LINE = re.compile(r"Title:[ \t]*(\S.*)")
_ENDS_A_SENTENCE = re.compile(r"[.!?;,:。！？；，：][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")
_MARKDOWN_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_FEWEST_HEADINGS = 2
_MOSTLY = 0.9
# The keyword of a version control system: "$Id: ChangeLog 5338 2022-02-28 chrfranke $".
_VERSION_CONTROL = re.compile(r"\W*\$[A-Z]\w{1,20}(?::[^$\n]*)?\$\W*")
_MEMO = re.compile(r"(?:Request for Comments|RFC) ?: +(\d{1,5})\b")
# How far from the middle of the page, of so many characters, a centred line may stand.
_WIDTH = 72
_OFF_CENTRE = 4


def read_plain(path: Path, settings: ReadingSettings) -> Iterator[Document]:
    """The one document of a text file.

    Raises
    ------
    UnreadableDocument
        The file is not readable, too large, or not text.
    """
    yield plain_document(path, decode(read_whole(path, settings.max_megabytes), settings.encoding))


def plain_document(path: Path, text: str) -> Document:
    """The document of a text file with this content, without what is printed on each of its pages.

    Lines that begin with number signs are headings only if those of the whole file look like headings of Markdown;
    numbered headings and the entries of a changelog are marked by number signs. Rows of tables that are drawn name
    their columns.
    """
    if _has_markdown_headings(text):
        return Document(str(path), markdown_title(text), checked(running_text(text)))
    # What the file has of number signs is made unlike headings before those of its own are marked.
    return Document(str(path), plain_title(text), checked(running_text(with_rows(without_headings(text)))))


def _has_markdown_headings(text: str) -> bool:
    """Whether lines with number signs are headings: they stand below blank lines, and some below others in level.

    Comments and commands stand in runs, or begin with one sign.
    """
    lines = text.split("\n")
    found = [place for place, line in enumerate(lines) if _MARKDOWN_HEADING.match(line)]
    apart = [place for place in found if not place or not lines[place - 1].strip()]
    has_levels = any(lines[place].startswith("##") for place in found)
    return has_levels and len(found) >= _FEWEST_HEADINGS and len(apart) >= _MOSTLY * len(found)


def plain_title(text: str) -> str:
    """What a text calls itself: a "Title:" line near its beginning, else the title of an RFC or a first line alone.

    >>> plain_title("On Engines\\n\\nThe first engine was never built.")
    'On Engines'
    >>> plain_title("The first engine was never built.\\n\\nNor was the second.")
    ''
    """
    beginning = text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    named = next((found for line in beginning if (found := _TITLE_LINE.fullmatch(line.strip()))), None)
    return title_of(named.group(1)) if named else title_of(_of_memo(beginning)) or _first_line(text)


def _of_memo(beginning: Sequence[str]) -> str:
    """The number of an RFC and its title, which are centred lines below; empty for another text."""
    paragraphs = [list(group) for is_text, group in groupby(beginning, lambda line: bool(line.strip())) if is_text]
    head = next((found for line in paragraphs[0] if (found := _MEMO.match(line))), None) if paragraphs else None
    centred = paragraphs[1] if len(paragraphs) > 1 and all(map(_is_centred, paragraphs[1])) else []
    return f"RFC {head.group(1)}: {' '.join(line.strip() for line in centred)}" if head and centred else ""


def _is_centred(line: str) -> bool:
    left = len(line) - len(line.lstrip())
    return left > 1 and abs(left + len(line.rstrip()) - _WIDTH) <= 2 * _OFF_CENTRE


def _first_line(text: str) -> str:
    """The first line, if it is short, no sentence nor entry, and the text goes on after a blank line."""
    first, _, rest = text.lstrip().partition("\n")
    line = first.strip()
    blank, _, following = rest.partition("\n")
    stands_alone = not blank.strip() and bool(following.strip())
    is_short = len(line) <= _LONGEST_FIRST_LINE and bool(_LETTER.search(line))
    is_title = stands_alone and is_short and not _ENDS_A_SENTENCE.search(line)
    is_other = _VERSION_CONTROL.fullmatch(line) or (is_title and begins_with_entry(text))
    return title_of(line) if is_title and not is_other else ""
