"""Lines of a printed page as running text: words made whole, paragraphs on one line each, blank lines between them."""

import re
from collections.abc import Collection, Iterator, Sequence

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_BROKEN = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_GOES_ON = re.compile(r"[^\W\d_]+")
_ENDS_A_SENTENCE = re.compile(r"""[.!?:…。！？]["'”’»)\]\d]*$""")
_ITEM = re.compile(r"(?:[•‣▪◦●*–-]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+\S|\d{1,3}(?:\.\d{1,3})+\.?\s+[^\W\d_a-z]")
_APART = re.compile(r"^[\W\d_]*$|(?:\. ?){4}")
_SPACES = re.compile(r"[ \t\xa0]+")
# Of the length of a full line: shorter than this, a line may end a paragraph, or be a heading.
_ENDS_SHORT_OF = 0.85
_HEADING_SHORT_OF = 0.65
_LONGEST_HEADING = 120
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


def words_of(pages: Sequence[str]) -> frozenset[str]:
    """The words of all pages, those with hyphens whole: what tells a broken word from one with a hyphen."""
    return frozenset(word.casefold() for page in pages for word in _WORD.findall(page))


def reflowed(page: str, words: Collection[str]) -> str:
    """The running text of a page.

    Parameters
    ----------
    page
        Lines as they are printed.
    words
        Those of the document, to know where a hyphen at the end of a line belongs to the word.

    >>> text = "On Engines\\nThe engine was a general-\\npurpose machine, de-\\nsigned early.\\nIt was never built."
    >>> reflowed(text, {"general-purpose"})
    'On Engines\\n\\nThe engine was a general-purpose machine, designed early.\\n\\nIt was never built.'
    """
    lines = [_SPACES.sub(" ", line).strip() for line in page.translate(_LIGATURES).split("\n")]
    return "\n\n".join(_joined(paragraph, words) for paragraph in _paragraphs(lines))


def runs_on(before: str, after: str) -> bool:
    """Whether a sentence that begins on one page ends on the next."""
    return bool(before) and after[:1].islower() and not _ENDS_A_SENTENCE.search(before[-8:])


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    lengths = sorted(len(line) for line in lines if line)
    full = lengths[len(lengths) * 9 // 10] if lengths else 0
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
        if is_heading or _APART.search(line) or _ends(line, following, full):
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _ends(line: str, following: str, full: int) -> bool:
    """Whether a paragraph ends here: a sentence does, well before the line is full."""
    is_short = len(line) < full * _ENDS_SHORT_OF
    return is_short and _ENDS_A_SENTENCE.search(line) is not None and not following[:1].islower()


def _is_heading(line: str, following: str, full: int) -> bool:
    """Whether a line that opens a paragraph is one of its own."""
    is_short = len(line) < min(full * _HEADING_SHORT_OF, _LONGEST_HEADING)
    is_whole = not _ENDS_A_SENTENCE.search(line) and line[-1:] not in ",;-–"
    return is_short and is_whole and not line[:1].islower() and not following[:1].islower()


def _joined(lines: Sequence[str], words: Collection[str]) -> str:
    parts = [lines[0]]
    for line in lines[1:]:
        broken, goes_on = _BROKEN.search(parts[-1]), _GOES_ON.match(line)
        if broken and goes_on and line[0].islower():
            whole = f"{broken.group(1)}-{goes_on.group()}".casefold() in words
            parts[-1] = parts[-1][:-1] + ("-" if whole else "")
            parts.append(line)
        else:
            parts += [" ", line]
    return "".join(parts)
