"""Lines of a printed page as running text: paragraphs on one line each, blank lines between them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_ENDS_A_SENTENCE = re.compile(r"""[.!?:…。！？]["'”’»)\]\d]*$""")
_ITEM = re.compile(r"(?:[•‣▪◦●*–-]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+\S|\d{1,3}(?:\.\d{1,3})+\.?\s+[^\W\d_a-z]")
_APART = re.compile(r"^[\W\d_]*$|(?:\. ?){4}")
_SPACES = re.compile(r"[ \t\xa0]+")
# Of the length of a full line: shorter than this, a line may end a paragraph, or be a heading.
_ENDS_SHORT_OF = 0.85
_HEADING_SHORT_OF = 0.65
_LONGEST_HEADING = 120
# So many lines are rows if so large a share of them ends before so much of the width of the longest one.
_LEAST_ROWS = 3
_MOSTLY = 0.6
_FITS = 0.9
_RUNS_ON = re.compile(r"[,(]$")
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


def printed(line: str) -> str:
    """A line without ligatures, with single spaces.

    >>> printed(" the  ﬁrst one ")
    'the first one'
    """
    return _SPACES.sub(" ", line.translate(_LIGATURES)).strip()


def reflowed(lines: Sequence[str]) -> str:
    """The running text of a page.

    Parameters
    ----------
    lines
        Those of the page, with an empty one where a gap is.

    >>> lines = ["On Engines", "The engine was a general-purpose machine, designed", "early.", "It was never built."]
    >>> reflowed(lines)
    'On Engines\\n\\nThe engine was a general-purpose machine, designed early.\\n\\nIt was never built.'
    """
    return "\n\n".join(_joined(paragraph) for paragraph in _paragraphs(lines))


def runs_on(before: str, after: str) -> bool:
    """Whether a sentence that begins on one page ends on the next."""
    return bool(before) and after[:1].islower() and not _ENDS_A_SENTENCE.search(before[-8:])


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    lengths = sorted(len(line) for line in lines if line)
    full = lengths[len(lengths) * 9 // 10] if lengths else 0
    rows = _rows(lines)
    paragraph: list[str] = []
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if paragraph and (not line or _ITEM.match(line) or _APART.search(line)):
            yield paragraph
            paragraph = []
        if not line:
            continue
        paragraph.append(line)
        is_heading = len(paragraph) == 1 and _is_heading(line, following, full)
        if is_heading or place in rows or _APART.search(line) or _ends(line, following, full):
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _rows(lines: Sequence[str]) -> set[int]:
    """The lines of tables and programs that end before the next word would have had to, as most of their block do."""
    found: set[int] = set()
    edges = [-1, *(place for place, line in enumerate(lines) if not line), len(lines)]
    for start, end in ((before + 1, after) for before, after in pairwise(edges) if after - before > _LEAST_ROWS):
        width = max(len(line) for line in lines[start:end]) * _FITS
        short = {place for place in range(start, end - 1) if _room_after(lines[place], lines[place + 1]) <= width}
        if len(short) >= _MOSTLY * (end - 1 - start):
            found |= {place for place in short if not _RUNS_ON.search(lines[place])}
    return found


def _room_after(line: str, following: str) -> int:
    """The length of a line with the first word of the next one."""
    return len(line) + 1 + len(following.partition(" ")[0])


def _ends(line: str, following: str, full: int) -> bool:
    """Whether a paragraph ends here: a sentence does, well before the line is full."""
    is_short = len(line) < full * _ENDS_SHORT_OF
    return is_short and _ENDS_A_SENTENCE.search(line) is not None and not following[:1].islower()


def _is_heading(line: str, following: str, full: int) -> bool:
    """Whether a line that opens a paragraph is one of its own."""
    is_short = len(line) < min(full * _HEADING_SHORT_OF, _LONGEST_HEADING)
    is_whole = not _ENDS_A_SENTENCE.search(line) and line[-1:] not in ",;-–"
    return is_short and is_whole and not line[:1].islower() and not following[:1].islower()


def _joined(lines: Sequence[str]) -> str:
    """Lines on one; between characters that are written without spaces there is none."""
    parts = [lines[0]]
    for before, line in pairwise(lines):
        parts += ["" if _UNSPACED.match(before[-1]) and _UNSPACED.match(line) else " ", line]
    return "".join(parts)
