"""Tables of contents and indexes: lines that say on which page a heading or a term stands."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

# So many entries make a table of contents, with at most so many other lines between two of them.
_LEAST_ENTRIES = 3
_MOST_BETWEEN = 2
_MOST_ABOVE = 12
# The share of entries whose words stand elsewhere, as a heading does.
_STAND_ELSEWHERE = 0.5
# The share of entries that are not on an earlier page than the one before.
_IN_ORDER = 0.9
_LEAST_DOTS = 3
_LEAST_SPACES = 3
_LONGEST = 300
# Long headings are broken into lines in other places than in the table, so their beginnings are compared.
_COMPARED = 24

# An entry of an index may name several pages, and go on with more in the next line.
_PAGE = re.compile(
    r"(?<=[\s.…·])(?:\d{1,4}(?:[-–]\d{1,4})?,\s?)*(\d{1,4}|[ivxlc]{1,8})(?:[-–]\d{1,4})?,?$", re.IGNORECASE
)
_TAIL = 80
_LEADER = " .\xa0\t…·_"
_NO_WORD = re.compile(r"[\W_]+")
_NUMBERING = re.compile(r"(?:[^\W\d_]+ )?(?:\d+ )+|[a-z] (?:\d+ )*")
_INDEX = re.compile(r"(?:\b(?:index|register|alfabético)|stichwortverzeichnis|索引)$")
_LONGEST_HEADING = 60
_HEADING = re.compile(
    "(?:table of )?contents|toc|list of (?:figures|tables)|inhalt|(?:inhalts|tabellen|abbildungs)verzeichnis"
    "|table des matières|sommaire|índice(?: general| de (?:cuadros|figuras|tablas))?|indice|sommario|sumário|inhoud"
    "|inhoudsopgave|spis treści|оглавление|содержание|目录|目錄|目次|表格清单|插图清单"
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a table: where it is, the words of the heading, the page (0 if Roman), and whether dots lead to it."""

    index: int
    title: str
    page: int
    has_dots: bool


def contents_lines(lines: Sequence[str]) -> Set[int]:
    """The lines of a text that are its table of contents or its index, by their places.

    Entries have a leader (dots; under the words "Table of Contents" also a gap) before the number of a page. They are a
    table of contents if pages do not decrease and at least half of the entries stand elsewhere in the text, where the
    headings are; an index if they are in the order of the alphabet, and a heading says so.

    >>> table = ["Contents", "1 Engines ...... 2", "1.1 Mills ...... 2", "2 Programs ..... 5"]
    >>> sorted(contents_lines([*table, "1 Engines", "Text.", "1.1 Mills", "2 Programs", "3 Wheels ..... 4"]))
    [0, 1, 2, 3]
    """
    entries = [entry for index, line in enumerate(lines) if (entry := _entry(index, line))]
    if len(entries) < _LEAST_ENTRIES:
        return set()
    places = _places(lines)
    found: set[int] = set()
    for block in _blocks(entries, lines):
        above = _above(block, lines, places)
        if _is_table(block, places, above) or _is_index(block, above):
            found.update(above, range(block[0].index, block[-1].index + 1))
    return {index for index in found if lines[index].strip()}


def _entry(index: int, line: str) -> _Entry | None:
    text = line.rstrip()
    page = _PAGE.search(text, max(0, len(text) - _TAIL)) if len(text) <= _LONGEST else None
    if page is None:
        return None
    before = text[: page.start()]
    title = before.rstrip(_LEADER)
    leader = before[len(title) :]
    dots = leader.count(".") + leader.count("·") + _LEAST_DOTS * leader.count("…")
    if not title.strip() or (dots < _LEAST_DOTS and len(leader.expandtabs()) < _LEAST_SPACES):
        return None
    number, has_dots = page.group(1), dots >= _LEAST_DOTS
    if not (has_dots or number.isdecimal()):
        return None
    return _Entry(index, _words(title), int(number) if number.isdecimal() else 0, has_dots)


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text.casefold()).strip()


def _forms(words: str) -> Iterator[str]:
    """A heading as it may stand elsewhere: with its number, or without; only the beginning where it is long."""
    numbering = _NUMBERING.match(words)
    yield words[:_COMPARED]
    if numbering and len(words) > numbering.end():
        yield words[numbering.end() :][:_COMPARED]


def _places(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Where lines that may be headings stand first and last, by their forms."""
    places: dict[str, tuple[int, int]] = {}
    for index, line in enumerate(lines):
        if 0 < len(line) <= _LONGEST:
            for form in _forms(_words(line)):
                places[form] = (places.get(form, (index, index))[0], index)
    return places


def _blocks(entries: Sequence[_Entry], lines: Sequence[str]) -> Iterator[list[_Entry]]:
    """Runs of entries that are near each other."""
    block = list(entries[:1])
    for before, entry in pairwise(entries):
        between = sum(bool(line.strip()) for line in lines[before.index + 1 : entry.index])
        if between > _MOST_BETWEEN:
            yield block
            block = []
        block.append(entry)
    yield block


def _is_table(block: Sequence[_Entry], places: dict[str, tuple[int, int]], above: dict[int, str]) -> bool:
    if len(block) < _LEAST_ENTRIES or not (
        all(entry.has_dots for entry in block) or any(map(_HEADING.fullmatch, above.values()))
    ):
        return False
    in_order = sum(before.page <= after.page for before, after in pairwise(block))
    first, last = block[0].index, block[-1].index
    elsewhere = sum(_stands_elsewhere(entry.title, places, first, last) for entry in block)
    return in_order >= _IN_ORDER * (len(block) - 1) and elsewhere >= _STAND_ELSEWHERE * len(block)


def _is_index(block: Sequence[_Entry], above: dict[int, str]) -> bool:
    if len(block) < _LEAST_ENTRIES or not any(_INDEX.search(words) for words in above.values()):
        return False
    in_order = sum(before.title <= after.title for before, after in pairwise(block))
    with_dots = sum(entry.has_dots for entry in block)
    return with_dots >= _IN_ORDER * len(block) and in_order >= _IN_ORDER * (len(block) - 1)


def _stands_elsewhere(title: str, places: dict[str, tuple[int, int]], first: int, last: int) -> bool:
    found = (places.get(form, (first, last)) for form in _forms(title))
    return any(earliest < first or latest > last for earliest, latest in found)


def _above(block: Sequence[_Entry], lines: Sequence[str], places: dict[str, tuple[int, int]]) -> dict[int, str]:
    """The lines above the first entry that belong to a table: its heading, and entries or letters without leader."""
    found: dict[int, str] = {}
    first, last = block[0].index, block[-1].index
    above = (index for index in range(first - 1, -1, -1) if lines[index].strip())
    for _, index in zip(range(_MOST_ABOVE), above, strict=False):
        words = _words(lines[index])
        title, _, page = words.rpartition(" ")
        is_heading = bool(_HEADING.fullmatch(words)) or (len(words) <= _LONGEST_HEADING and bool(_INDEX.search(words)))
        is_entry = page.isdecimal() and _stands_elsewhere(title, places, index, last)
        if is_heading or is_entry or len(words) == 1:
            found[index] = words
        if is_heading or (not is_entry and len(words) > 1):
            break
    return found
