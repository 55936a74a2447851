"""Reflow the lines of a printed page into paragraphs, each on one line, separated by blank lines."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_SENTENCE_END = re.compile(r"""[.!?:…。！？]["'”’»)\]\d]*$""")
_ITEM = re.compile(r"(?:[•‣▪◦●*–-]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+\S|\d{1,3}(?:\.\d{1,3})+\.?\s+[^\W\d_a-z]")
_SEPARATE_LINE = re.compile(r"^[\W\d_]*$|(?:\. ?){4}")
_SPACES = re.compile(r"[ \t\xa0]+")
# Relative to the length of a full line: a shorter line may end a paragraph, or be a heading.
_MAX_LAST_LINE_SHARE = 0.85
_MAX_HEADING_SHARE = 0.65
_MAX_HEADING_CHARACTERS = 120
# A block with more than this many lines is a table if this share of them ends well before this share of the full width.
_MIN_ROWS = 3
_MIN_SHORT_SHARE = 0.6
_SHORT_LINE_SHARE = 0.9
_RUNS_ON = re.compile(r"[,(]$")
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


def printed(line: str) -> str:
    """Replace ligatures and collapse white space in a line.

    >>> printed(" the  ﬁrst one ")
    'the first one'
    """
    return _SPACES.sub(" ", line.translate(_LIGATURES)).strip()


def reflowed(lines: Sequence[str]) -> str:
    """Join the lines of a page into paragraphs.

    Parameters
    ----------
    lines
        The lines of the page, with an empty line at each gap.

    >>> lines = ["On Engines", "The engine was a general-purpose machine, designed", "early.", "It was never built."]
    >>> reflowed(lines)
    'On Engines\\n\\nThe engine was a general-purpose machine, designed early.\\n\\nIt was never built.'
    """
    return "\n\n".join(_joined(paragraph) for paragraph in _paragraphs(lines))


def runs_on(before: str, after: str) -> bool:
    """Return whether a sentence continues from one page to the next."""
    return bool(before) and after[:1].islower() and not _SENTENCE_END.search(before[-8:])


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    lengths = sorted(len(line) for line in lines if line)
    full = lengths[len(lengths) * 9 // 10] if lengths else 0
    rows = _rows(lines)
    paragraph: list[str] = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if paragraph and (not line or _ITEM.match(line) or _SEPARATE_LINE.search(line)):
            yield paragraph
            paragraph = []
        if not line:
            continue
        paragraph.append(line)
        is_heading = len(paragraph) == 1 and _is_heading(line, following, full)
        if is_heading or index in rows or _SEPARATE_LINE.search(line) or _ends(line, following, full):
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _rows(lines: Sequence[str]) -> set[int]:
    """Return the lines of tables and programs: blocks in which most lines end although the next word would fit."""
    rows: set[int] = set()
    edges = [-1, *(index for index, line in enumerate(lines) if not line), len(lines)]
    for start, end in ((before + 1, after) for before, after in pairwise(edges) if after - before > _MIN_ROWS):
        width = max(len(line) for line in lines[start:end]) * _SHORT_LINE_SHARE
        short = {index for index in range(start, end - 1) if _extended_length(lines[index], lines[index + 1]) <= width}
        if len(short) >= _MIN_SHORT_SHARE * (end - 1 - start):
            rows |= {index for index in short if not _RUNS_ON.search(lines[index])}
    return rows


def _extended_length(line: str, following: str) -> int:
    """Return the length of a line together with the first word of the next one."""
    return len(line) + 1 + len(following.partition(" ")[0])


def _ends(line: str, following: str, full: int) -> bool:
    """Return whether a paragraph ends with this line: a sentence ends on it, and it is clearly not full."""
    is_short = len(line) < full * _MAX_LAST_LINE_SHARE
    return is_short and _SENTENCE_END.search(line) is not None and not following[:1].islower()


def _is_heading(line: str, following: str, full: int) -> bool:
    """Return whether the first line of a paragraph is a separate heading."""
    is_short = len(line) < min(full * _MAX_HEADING_SHARE, _MAX_HEADING_CHARACTERS)
    is_whole = not _SENTENCE_END.search(line) and line[-1:] not in ",;-–"
    return is_short and is_whole and not line[:1].islower() and not following[:1].islower()


def _joined(lines: Sequence[str]) -> str:
    """Join lines with spaces, but without them between characters of scripts that do not use spaces."""
    parts = [lines[0]]
    for before, line in pairwise(lines):
        parts += ["" if _UNSPACED.match(before[-1]) and _UNSPACED.match(line) else " ", line]
    return "".join(parts)
