"""Detect tables of contents and indexes: lines that give the page of a heading or term."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

# Minimum number of entries, maximum number of other lines between two of them, and of lines examined above them.
_MIN_ENTRIES = 3
_MAX_BETWEEN = 2
_MAX_ABOVE = 12
# The share of entries whose words must occur elsewhere in the text, as headings do.
_MIN_ELSEWHERE = 0.5
# The share of entries that must not be on an earlier page than the previous entry.
_MIN_IN_ORDER = 0.9
_MIN_DOTS = 3
_MIN_SPACES = 3
_MAX_CHARACTERS = 300
# Compare only the beginnings: long headings wrap at other places in the text than in the table.
_COMPARED_CHARACTERS = 24

# An index entry may list several pages, and continue on the next line.
_PAGE = re.compile(
    r"(?<=[\s.…·])(?:\d{1,4}(?:[-–]\d{1,4})?,\s?)*(\d{1,4}|[ivxlc]{1,8})(?:[-–]\d{1,4})?,?$", re.IGNORECASE
)
_TAIL = 80
_LEADER = " .\xa0\t…·_"
_NO_WORD = re.compile(r"[\W_]+")
_NUMBERING = re.compile(r"(?:[^\W\d_]+ )?(?:\d+ )+|[a-z] (?:\d+ )*")
_INDEX = re.compile(r"(?:\b(?:index|register|alfabético)|stichwortverzeichnis|索引)$")
_MAX_HEADING = 60
_HEADING = re.compile(
    "(?:table of )?contents|toc|list of (?:figures|tables)|inhalt|(?:inhalts|tabellen|abbildungs)verzeichnis"
    "|table des matières|sommaire|índice(?: general| de (?:cuadros|figuras|tablas))?|indice|sommario|sumário|inhoud"
    "|inhoudsopgave|spis treści|оглавление|содержание|目录|目錄|目次|表格清单|插图清单"
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry line: its index, the words of the heading, the page (0 if Roman), and whether it has a dot leader."""

    index: int
    title: str
    page: int
    has_dots: bool


def contents_lines(lines: Sequence[str]) -> Set[int]:
    """Return the indexes of the lines that belong to a table of contents or an index.

    Entries have a leader (dots, or below the words "Table of Contents" also a gap) before a page number. They form a
    table of contents if the pages do not decrease and at least half of the entries occur elsewhere in the text, as
    headings. They form an index if they are in alphabetical order below a heading such as "Index".

    >>> table = ["Contents", "1 Engines ...... 2", "1.1 Mills ...... 2", "2 Programs ..... 5"]
    >>> sorted(contents_lines([*table, "1 Engines", "Text.", "1.1 Mills", "2 Programs", "3 Wheels ..... 4"]))
    [0, 1, 2, 3]
    """
    entries = [entry for index, line in enumerate(lines) if (entry := _entry(index, line))]
    if len(entries) < _MIN_ENTRIES:
        return set()
    places = _places(lines)
    indexes: set[int] = set()
    for block in _blocks(entries, lines):
        above = _above(block, lines, places)
        if _is_table(block, places, above) or _is_index(block, above):
            indexes.update(above, range(block[0].index, block[-1].index + 1))
    return {index for index in indexes if lines[index].strip()}


def _entry(index: int, line: str) -> _Entry | None:
    text = line.rstrip()
    page = _PAGE.search(text, max(0, len(text) - _TAIL)) if len(text) <= _MAX_CHARACTERS else None
    if page is None:
        return None
    before = text[: page.start()]
    title = before.rstrip(_LEADER)
    leader = before[len(title) :]
    dots = leader.count(".") + leader.count("·") + _MIN_DOTS * leader.count("…")
    if not title.strip() or (dots < _MIN_DOTS and len(leader.expandtabs()) < _MIN_SPACES):
        return None
    number, has_dots = page.group(1), dots >= _MIN_DOTS
    if not (has_dots or number.isdecimal()):
        return None
    return _Entry(index, _words(title), int(number) if number.isdecimal() else 0, has_dots)


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text.casefold()).strip()


def _forms(words: str) -> Iterator[str]:
    """Yield the forms in which a heading may occur elsewhere: with and without its number, truncated."""
    numbering = _NUMBERING.match(words)
    yield words[:_COMPARED_CHARACTERS]
    if numbering and len(words) > numbering.end():
        yield words[numbering.end() :][:_COMPARED_CHARACTERS]


def _places(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the first and last occurrence of each line that may be a heading, by its forms."""
    places: dict[str, tuple[int, int]] = {}
    for index, line in enumerate(lines):
        if 0 < len(line) <= _MAX_CHARACTERS:
            for form in _forms(_words(line)):
                places[form] = (places.get(form, (index, index))[0], index)
    return places


def _blocks(entries: Sequence[_Entry], lines: Sequence[str]) -> Iterator[list[_Entry]]:
    """Split entries into runs of entries that are close together."""
    block = list(entries[:1])
    for before, entry in pairwise(entries):
        between = sum(bool(line.strip()) for line in lines[before.index + 1 : entry.index])
        if between > _MAX_BETWEEN:
            yield block
            block = []
        block.append(entry)
    yield block


def _is_table(block: Sequence[_Entry], places: dict[str, tuple[int, int]], above: dict[int, str]) -> bool:
    if len(block) < _MIN_ENTRIES or not (
        all(entry.has_dots for entry in block) or any(map(_HEADING.fullmatch, above.values()))
    ):
        return False
    in_order = sum(before.page <= after.page for before, after in pairwise(block))
    first, last = block[0].index, block[-1].index
    elsewhere = sum(_occurs_elsewhere(entry.title, places, first, last) for entry in block)
    return in_order >= _MIN_IN_ORDER * (len(block) - 1) and elsewhere >= _MIN_ELSEWHERE * len(block)


def _is_index(block: Sequence[_Entry], above: dict[int, str]) -> bool:
    if len(block) < _MIN_ENTRIES or not any(_INDEX.search(words) for words in above.values()):
        return False
    in_order = sum(before.title <= after.title for before, after in pairwise(block))
    with_dots = sum(entry.has_dots for entry in block)
    return with_dots >= _MIN_IN_ORDER * len(block) and in_order >= _MIN_IN_ORDER * (len(block) - 1)


def _occurs_elsewhere(title: str, places: dict[str, tuple[int, int]], first: int, last: int) -> bool:
    occurrences = (places.get(form, (first, last)) for form in _forms(title))
    return any(earliest < first or latest > last for earliest, latest in occurrences)


def _above(block: Sequence[_Entry], lines: Sequence[str], places: dict[str, tuple[int, int]]) -> dict[int, str]:
    """Return the lines above the first entry that belong to it: the heading, and entries or letters without leader."""
    lines_above: dict[int, str] = {}
    first, last = block[0].index, block[-1].index
    above = (index for index in range(first - 1, -1, -1) if lines[index].strip())
    for _, index in zip(range(_MAX_ABOVE), above, strict=False):
        words = _words(lines[index])
        title, _, page = words.rpartition(" ")
        is_heading = bool(_HEADING.fullmatch(words)) or (len(words) <= _MAX_HEADING and bool(_INDEX.search(words)))
        is_entry = page.isdecimal() and _occurs_elsewhere(title, places, index, last)
        if is_heading or is_entry or len(words) == 1:
            lines_above[index] = words
        if is_heading or (not is_entry and len(words) > 1):
            break
    return lines_above
