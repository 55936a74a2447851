"""Find the title of a plain text."""

import re
from collections.abc import Sequence
from itertools import groupby

from polyadic.loaders.metadata import title_of
from polyadic.loaders.pages.changelog import begins_with_entry
from polyadic.loaders.title_block import title_block

_HEADER_LINES = 40
_LONGEST_FIRST_LINE = 100
_TITLE_LINE = re.compile(r"Title:[ \t]*(\S.*)")
_ENDS_A_SENTENCE = re.compile(r"[.!?;,:。！？；，：][\"'”’)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")
# The keyword of a version control system: "$Id: ChangeLog 5338 2022-02-28 chrfranke $".
_VERSION_CONTROL = re.compile(r"\W*\$[A-Z]\w{1,20}(?::[^$\n]*)?\$\W*")
_RFC_NUMBER = re.compile(r"(?:Request for Comments|RFC) ?: +(\d{1,5})\b")
# Page width in characters, and the maximum distance of a centred line from the middle of the page.
_WIDTH = 72
_OFF_CENTRE = 4


def plain_title(text: str) -> str:
    """Find the title of a text: a "Title:" line near the beginning, the RFC title, a title block or a separate line.

    >>> plain_title("On Engines\\n\\nThe first engine was never built.")
    'On Engines'
    >>> plain_title("The first engine was never built.\\n\\nNor was the second.")
    ''
    """
    beginning = text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    title_line = next((found for line in beginning if (found := _TITLE_LINE.fullmatch(line.strip()))), None)
    if title_line:
        return title_of(title_line.group(1))
    block = title_block(text)
    return title_of(_rfc_title(beginning)) or (title_of(block.title) if block else _first_line(text))


def _rfc_title(beginning: Sequence[str]) -> str:
    """Return the number and title (the centred lines below it) of an RFC; empty for any other text."""
    paragraphs = [list(group) for is_text, group in groupby(beginning, lambda line: bool(line.strip())) if is_text]
    head = next((found for line in paragraphs[0] if (found := _RFC_NUMBER.match(line))), None) if paragraphs else None
    centred = paragraphs[1] if len(paragraphs) > 1 and all(map(_is_centred, paragraphs[1])) else []
    return f"RFC {head.group(1)}: {' '.join(line.strip() for line in centred)}" if head and centred else ""


def _is_centred(line: str) -> bool:
    left = len(line) - len(line.lstrip())
    return left > 1 and abs(left + len(line.rstrip()) - _WIDTH) <= 2 * _OFF_CENTRE


def _first_line(text: str) -> str:
    """Return the first line if a blank line follows it and it is short, not a sentence and not a changelog entry."""
    first, _, rest = text.lstrip().partition("\n")
    line = first.strip()
    blank, _, following = rest.partition("\n")
    stands_alone = not blank.strip() and bool(following.strip())
    is_short = len(line) <= _LONGEST_FIRST_LINE and bool(_LETTER.search(line))
    is_title = stands_alone and is_short and not _ENDS_A_SENTENCE.search(line)
    is_other = _VERSION_CONTROL.fullmatch(line) or (is_title and begins_with_entry(text))
    return title_of(line) if is_title and not is_other else ""
