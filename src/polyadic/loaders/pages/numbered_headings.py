"""Numbered headings of sections in plain text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEADING = re.compile(
    r"""
        (?: (?:Appendix[ ])?(?P<chapter>\d{1,3}|(?<=Appendix[ ])[A-Z])
          | [ ]{0,3}(?P<section>(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}) )
        \.?[ \t]{1,4}(?P<title>\S.{0,100})
    """,
    re.VERBOSE,
)
# A picture, a table or a formula.
_NO_TITLE = re.compile(r"\S {3,}\S|[-=]>|<[-=]|[|+]--")
_LETTER = re.compile(r"[^\W\d_]")
_ENDS_NO_HEADING = re.compile(r"[.!?;:,]$")
_LEAST = 3
# The share of headings with text of their own, or of a section below, before the next one.
_WITH_TEXT = 0.5
_MOST_MISSED = 2
_LETTERS = 1_000
_DEEPEST = 6

_Number = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    """The lines of a heading, and its number; letters of appendixes come after all digits."""

    first: int
    last: int
    number: _Number


def marked_headings(lines: Sequence[str]) -> list[str]:
    """The lines with number signs before the headings of sections, if these are numbered throughout.

    A heading stands alone between blank lines, ends like no sentence, and its number follows that of the heading
    before. At least three make an outline, if text stands below them: a list of items has none.

    >>> text = ["1. Wheels", "", "They turn.", "", "1.1. Cogs", "", "They catch.", "", "2. Steam", "", "It hisses."]
    >>> [line for line in marked_headings(text) if line.startswith("#")]
    ['## 1. Wheels', '### 1.1. Cogs', '## 2. Steam']
    """
    found = list(_outline(lines))
    followed = sum(_has_text(lines, *pair) for pair in zip(found, [*found[1:], None], strict=False))
    if len(found) < _LEAST or followed < _WITH_TEXT * len(found):
        return list(lines)
    marked: list[str] = []
    end = 0
    for heading in found:
        words = " ".join(line.strip() for line in lines[heading.first : heading.last + 1])
        marked += lines[end : heading.first]
        marked.append(f"{'#' * min(len(heading.number) + 1, _DEEPEST)} {words}")
        end = heading.last + 1
    return [*marked, *lines[end:]]


def _outline(lines: Sequence[str]) -> Iterator[_Heading]:
    before: _Number = (-1,)
    for place, line in enumerate(lines):
        if (place and lines[place - 1].strip()) or not (match := _HEADING.match(line)):
            continue
        last = _last_line(lines, place)
        number = _number(match["chapter"] or match["section"])
        is_title = _LETTER.search(match["title"]) and not _NO_TITLE.search(match["title"])
        if last is not None and is_title and _follows(before, number):
            before = number
            yield _Heading(place, last, number)


def _last_line(lines: Sequence[str], first: int) -> int | None:
    """The last line of a heading that may go on in the next one, further in; None if this is no heading."""
    for last in (first, first + 1):
        if last > first and not lines[last].startswith(" " * 3):
            return None
        if last + 1 >= len(lines) or not lines[last + 1].strip():
            return None if _ENDS_NO_HEADING.search(lines[last].rstrip()) else last
    return None


def _number(text: str) -> _Number:
    return tuple(int(part) if part.isdecimal() else _LETTERS + ord(part.upper()) for part in text.split("."))


def _follows(before: _Number, number: _Number) -> bool:
    """Whether a number is that of the next section, of the first below, or of one soon after these."""
    if len(number) > len(before) + 1:
        return False
    if len(number) == len(before) + 1 and number[:-1] == before:
        return number[-1] <= 1 + _MOST_MISSED
    level = next((place for place, pair in enumerate(zip(before, number, strict=False)) if pair[0] != pair[1]), None)
    if level is None or any(part > 1 for part in number[level + 1 :]):
        return False
    if number[level] >= _LETTERS > before[level]:
        return number[level] == _LETTERS + ord("A")
    return 1 <= number[level] - before[level] <= 1 + _MOST_MISSED


def _has_text(lines: Sequence[str], heading: _Heading, following: _Heading | None) -> bool:
    """Whether text stands below a heading before the next one, or that one is of a section below."""
    if following and len(following.number) > len(heading.number):
        return True
    end = following.first if following else len(lines)
    return any(line.strip() for line in lines[heading.last + 1 : end])
