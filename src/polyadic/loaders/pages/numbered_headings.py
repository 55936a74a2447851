"""Mark numbered section headings in plain text, and those on the first line of their paragraph, as in contracts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from polyadic.text.headings import SECTION_WORDS
from polyadic.text.stopwords import words as listed

_HEADING = re.compile(
    rf"""
        (?: (?:(?i:{SECTION_WORDS})[ ]|§[ ]?)?(?P<chapter>\d{{1,3}})
          | (?i:{SECTION_WORDS})[ ](?P<letter>[A-Z])
          | [ ]{{0,3}}(?P<section>(?:\d{{1,3}}|[A-Z])(?:\.\d{{1,3}}){{1,5}}) )
        [.:]?[ \t]{{1,4}}(?:[-–—][ \t])?(?P<title>\S.{{0,100}})
    """,
    re.VERBOSE,
)
# Part of a drawing, a table or a formula.
_NO_TITLE = re.compile(r"\S {3,}\S|[-=]>|<[-=]|[|+]--")
_LETTER = re.compile(r"[^\W\d_]")
_ENDS_NO_HEADING = re.compile(r"[.!?;:,]$")
_OPENS_A_SENTENCE = re.compile(r"[\"“„«‘'¿¡(\[]*[^\W_a-zß-öø-ÿ]")
# Maximum number of words of a heading directly above its text.
_MAX_WORDS_ABOVE_TEXT = 9
_MIN_HEADINGS = 3
# The share of headings that must be followed by text or by a subsection.
_MIN_SHARE_WITH_TEXT = 0.5
# Numbers that may be missing between two headings.
_MAX_MISSING = 2
# Added to the numbers of appendix letters, so that they sort after all digits.
_LETTERS = 1_000
_MAX_LEVEL = 6

# The heading of a clause, whose text may begin on the same line.
_CLAUSE = re.compile(
    r"(?P<indent>[ ]{0,8})(?P<number>\d{1,3})\.[ ]{1,4}(?P<title>[^\W\d_][^.,;:!?]{3,80})\.(?P<rest>[ ].*)?"
)
_OPENS_CLAUSE_TEXT = re.compile(r"\s*[\"“„«‘'(\[]*[^\W\d_a-zß-öø-ÿ]")
_SMALL = frozenset(listed("a an and as at by for from in of on or the to with und der die das des von zu zur"))
_MAX_WORDS = 8
_MIN_CLAUSES, _MIN_RUN_IN = 3, 2


_Number = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    """The first and last line of a heading, and its number; appendix letters sort after all digits."""

    first: int
    last: int
    number: _Number


def with_marked_headings(lines: Sequence[str]) -> list[str]:
    """Mark numbered headings with number signs: first those of clauses, then those of sections.

    >>> text = ["1. Wheels", "", "They turn.", "", "2. Steam", "", "It hisses.", "", "3. End", "", "It stops."]
    >>> [line for line in with_marked_headings(text) if line.startswith("#")]
    ['## 1. Wheels', '## 2. Steam', '## 3. End']
    """
    return _marked_sections(_marked_clauses(lines))


def _marked_sections(lines: Sequence[str]) -> list[str]:
    """Mark section headings with number signs, if they are numbered consistently.

    A heading does not end like a sentence, and has a number that follows the previous one. It is enclosed by blank
    lines, or is a short line directly above its text. At least three headings form an outline, provided that most are
    followed by text, unlike the items of a list.

    >>> text = ["1. Wheels", "", "They turn.", "", "1.1. Cogs", "", "They catch.", "", "2. Steam", "", "It hisses."]
    >>> [line for line in _marked_sections(text) if line.startswith("#")]
    ['## 1. Wheels', '### 1.1. Cogs', '## 2. Steam']
    """
    outline = list(_outline(lines))
    with_text = sum(_has_text(lines, *pair) for pair in zip(outline, [*outline[1:], None], strict=False))
    if len(outline) < _MIN_HEADINGS or with_text < _MIN_SHARE_WITH_TEXT * len(outline):
        return list(lines)
    marked: list[str] = []
    end = 0
    for heading in outline:
        words = " ".join(line.strip() for line in lines[heading.first : heading.last + 1])
        marked += lines[end : heading.first]
        marked.append(f"{'#' * min(len(heading.number) + 1, _MAX_LEVEL)} {words}")
        end = heading.last + 1
    return [*marked, *lines[end:]]


def _outline(lines: Sequence[str]) -> Iterator[_Heading]:
    before: _Number = (-1,)
    for index, line in enumerate(lines):
        if (index and lines[index - 1].strip()) or not (match := _HEADING.match(line)):
            continue
        last = _last_line(lines, index)
        number = _number(match["chapter"] or match["letter"] or match["section"])
        is_title = _LETTER.search(match["title"]) and not _NO_TITLE.search(match["title"])
        if last is not None and is_title and _follows(before, number):
            before = number
            yield _Heading(index, last, number)


def _last_line(lines: Sequence[str], first: int) -> int | None:
    """Return the last line of a heading, which may continue on an indented second line; None if it is not a heading."""
    for last in (first, first + 1):
        if last > first and not lines[last].startswith(" " * 3):
            return None
        if last + 1 >= len(lines) or not lines[last + 1].strip():
            return None if _ENDS_NO_HEADING.search(lines[last].rstrip()) else last
        if last == first and _is_above_text(lines, first):
            return first
    return None


def _is_above_text(lines: Sequence[str], index: int) -> bool:
    """Return whether a line is a heading directly above text or a numbered subsection.

    It is short, and the line breaks although the next word would fit.
    """
    line, below = lines[index].rstrip(), lines[index + 1].strip()
    if _ENDS_NO_HEADING.search(line) or len(line.split()) > _MAX_WORDS_ABOVE_TEXT or not _OPENS_A_SENTENCE.match(below):
        return False
    own, following = _HEADING.match(line), _HEADING.match(below)
    if not own or not _OPENS_A_SENTENCE.match(own["title"]):
        return False
    if following:
        return bool(following["section"]) and not own["section"]
    block = takewhile(str.strip, lines[index:])
    return len(line) + 1 + len(below.split()[0]) <= max(len(one.rstrip()) for one in block)


def _number(text: str) -> _Number:
    return tuple(int(part) if part.isdecimal() else _LETTERS + ord(part.upper()) for part in text.split("."))


def _follows(before: _Number, number: _Number) -> bool:
    """Return whether a number is that of the next section or first subsection, allowing for a few missing numbers."""
    if len(number) > len(before) + 1:
        return False
    if len(number) == len(before) + 1 and number[:-1] == before:
        return number[-1] <= 1 + _MAX_MISSING
    level = next((i for i, pair in enumerate(zip(before, number, strict=False)) if pair[0] != pair[1]), None)
    if level is None or any(part > 1 for part in number[level + 1 :]):
        return False
    if number[level] >= _LETTERS > before[level]:
        return number[level] == _LETTERS + ord("A")
    return 1 <= number[level] - before[level] <= 1 + _MAX_MISSING


def _has_text(lines: Sequence[str], heading: _Heading, following: _Heading | None) -> bool:
    """Return whether a heading is followed by text, or by a subsection heading."""
    if following and len(following.number) > len(heading.number):
        return True
    end = following.first if following else len(lines)
    return any(line.strip() for line in lines[heading.last + 1 : end])


@dataclass(frozen=True, slots=True)
class _Clause:
    """The line of a heading, its number and column, its words, and the text after it."""

    line: int
    number: int
    column: int
    words: str
    rest: str


def _marked_clauses(lines: Sequence[str]) -> list[str]:
    """Put the numbered headings of clauses on lines of their own, marked with number signs.

    Such a heading is in title case and ends with a full stop, after which its text begins on the same line. At least
    three clauses with increasing numbers form an outline, of which at least two have text on the line of their heading.

    >>> text = "1. Terms.\\n\\nThey hold.\\n\\n2. Grant of Use. All may\\nuse it.\\n\\n3. Ending. It\\nends."
    >>> [line for line in _marked_clauses(text.split("\\n")) if line.startswith("#")]
    ['## 1. Terms.', '## 2. Grant of Use.', '## 3. Ending.']
    """
    outline: list[_Clause] = []
    for clause in _clauses(lines):
        is_next = not outline or 0 < clause.number - outline[-1].number <= 1 + _MAX_MISSING
        if is_next and (not outline or clause.column == outline[0].column):
            outline.append(clause)
    if len(outline) < _MIN_CLAUSES or sum(bool(clause.rest) for clause in outline) < _MIN_RUN_IN:
        return list(lines)
    # Other headings of such texts are in capitals; once some are marked, the rest have to be.
    marked = [f"## {line.strip()}" if _is_in_capitals(lines, index) else line for index, line in enumerate(lines)]
    for clause in reversed(outline):
        text = [" " * clause.column + clause.rest] if clause.rest else []
        marked[clause.line : clause.line + 1] = [f"## {clause.words}", "", *text]
    return marked


def _clauses(lines: Sequence[str]) -> Iterator[_Clause]:
    for index, line in enumerate(lines):
        if (index and lines[index - 1].strip()) or not (found := _CLAUSE.fullmatch(line.rstrip())):
            continue
        rest = (found["rest"] or "").strip()
        goes_on = index + 1 < len(lines) and bool(lines[index + 1].strip())
        if not _is_title_case(found["title"]) or bool(rest) != goes_on or (rest and not _OPENS_CLAUSE_TEXT.match(rest)):
            continue
        words = f"{found['number']}. {found['title']}."
        yield _Clause(index, int(found["number"]), len(found["indent"]), words, rest)


def _is_in_capitals(lines: Sequence[str], index: int) -> bool:
    """Return whether a line between blank lines is a short one in capitals, such as "END OF TERMS AND CONDITIONS"."""
    line = lines[index].strip()
    is_apart = not any(other.strip() for other in (*lines[max(0, index - 1) : index], *lines[index + 1 : index + 2]))
    return is_apart and line.isupper() and 1 < len(line.split()) <= _MAX_WORDS and line[-1].isalpha()


def _is_title_case(title: str) -> bool:
    """Return whether words are in title case; a last word of one letter is an initial ("Knuth D.")."""
    parts = title.split()
    is_title_case = all(part in _SMALL or not part[0].islower() for part in parts)
    return is_title_case and len(parts) <= _MAX_WORDS and len(parts[-1]) > 1
