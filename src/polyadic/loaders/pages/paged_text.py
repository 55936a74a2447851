"""Text files as they were made for printers, such as RFCs: without what each page repeats, with headings marked."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from polyadic.loaders.pages.changelog import marked_entries
from polyadic.loaders.pages.hyphenation import Hyphenation
from polyadic.loaders.pages.numbered_headings import marked_headings
from polyadic.loaders.pages.running_headers import PageLine, without_furniture
from polyadic.loaders.pages.table_of_contents import contents_lines
from polyadic.loaders.tables.text_tables import without_boxes

_FOOT = re.compile(r"(?:^|\s)(?:\[Page (\d{1,4}|[ivxlc]{1,8})\]|Page (\d{1,4})(?: of \d{1,4})?)\s*$")
_MOST_PAGES = 20_000
_HEAD = re.compile(r"(?:RFC \d+|Internet-Draft) {3,}\S.* \d{4}\s*$")
_TAIL = 40
# The share of feet whose number is that of the foot before and one.
_COUNTED = 0.8
_BROKEN = re.compile(r"[^\W_][-\u2010\u00ad]\n[ \t]*[^\W_]")
_ENDS_A_SENTENCE = re.compile(r"""[.!?:…。！？]["'”’)\]]*$""")
_OPENS_BLOCK = re.compile(r"(?:[-*+•o]\s|\(?\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+\s|\(?[a-zA-Z][.)]\s)")


def running_text(text: str) -> str:
    """The text of a file without running heads and feet, page numbers and tables of contents.

    A paragraph that a page cuts in two is joined again, as is a word that a line does; headings that are numbered
    throughout, and those of the entries of a changelog, are marked as Markdown marks them. Tables in
    boxes become rows that name their columns. Nothing else is altered: lines end where they ended.

    >>> page = "   The mill reckons\\n   and the\\n   store\\n   keeps\\n   it and\\n\\nLovelace      [Page {}]\\n"
    >>> running_text("".join(page.format(number) for number in range(1, 4))).split().count("[Page")
    0
    """
    lines = _without_pages(text.split("\n"))
    lines = without_boxes(lines)
    contents = contents_lines(lines)
    lines = list(_without(lines, contents)) if contents else lines
    lines = list(_mended(lines)) if _BROKEN.search(text) else lines
    return "\n".join(marked_entries(marked_headings(lines)))


def _without_pages(lines: list[str]) -> list[str]:
    """The lines of a text with its pages joined; the lines as they are if it has none, or nothing recurs on them."""
    feet = _feet(lines)
    pages = _pages(lines, feet)
    if not 1 < len(pages) <= _MOST_PAGES:
        return lines
    printed = [[PageLine(line, place) for place, line in enumerate(page) if line.strip()] for page in pages]
    kept = without_furniture(printed)
    if not feet and kept == printed:
        return lines
    found: list[str] = []
    for page, before, after in zip(pages, printed, kept, strict=True):
        text = [line for line in after if not (feet and _is_head_or_foot(line, before))]
        if not text:
            continue
        removed = {line.place for line in before}.difference(line.place for line in text)
        first, last = int(text[0].place), int(text[-1].place)
        if found and not _goes_on(found, page[first]):
            found.append("")
        found += [page[place] for place in range(first, last + 1) if place not in removed]
    return found


def _pages(lines: Sequence[str], feet: Set[int]) -> list[list[str]]:
    """The lines of each page: a page ends with its foot, or before a form feed; blank ones are passed over."""
    pages: list[list[str]] = [[]]
    for place, line in enumerate(lines):
        before, *after = line.split("\f")
        pages[-1].append(before)
        pages += [[part] for part in after]
        if place in feet:
            pages.append([])
    return [page for page in pages if any(line.strip() for line in page)]


def _is_head_or_foot(line: PageLine, page: Sequence[PageLine]) -> bool:
    """Whether a line at the edge of a page has the form of an RFC's head or foot, even if it stands there alone."""
    return (line is page[0] and bool(_HEAD.match(line.text))) or (line is page[-1] and bool(_FOOT.search(line.text)))


def _feet(lines: Sequence[str]) -> Set[int]:
    """The lines that end with the number of a page, if it grows by one from each to the next."""
    found = {place: foot for place, line in enumerate(lines) if (foot := _FOOT.search(line[-_TAIL:]))}
    numbers = [foot.group(1) or foot.group(2) for foot in found.values()]
    pairs = [(int(one), int(other)) for one, other in pairwise(numbers) if one.isdecimal() and other.isdecimal()]
    return found.keys() if sum(one + 1 == other for one, other in pairs) >= max(1, _COUNTED * len(pairs)) else set()


def _goes_on(before: Sequence[str], line: str) -> bool:
    """Whether the first line of a page goes on with the paragraph that ends the page before."""
    last, content = before[-1], line.lstrip()
    if _ENDS_A_SENTENCE.search(last.rstrip()) or _OPENS_BLOCK.match(content) or last[:1].isdecimal():
        return False
    opens = len(before) < 2 or not before[-2].strip()
    deeper = _indent(line) - _indent(last)
    return content[0].islower() or deeper == 0 or (opens and deeper > 0)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without(lines: Sequence[str], removed: Set[int]) -> Iterator[str]:
    """The lines that are not removed; of the blank ones around those that are, one stays."""
    before, gap = "", False
    for place, line in enumerate(lines):
        gap = gap or place in removed
        if place in removed or (gap and not line.strip()):
            continue
        if gap and before.strip():
            yield ""
        yield line
        before, gap = line, False


def _mended(lines: Sequence[str]) -> Iterator[str]:
    """The lines with words whole that were broken at the end of one."""
    hyphenation = Hyphenation(lines, splits=False)
    held = lines[0]
    for line in lines[1:]:
        held, rest = hyphenation.mended(held.rstrip(), line)
        if rest or not line.strip():
            yield held
            held = rest
    yield held
