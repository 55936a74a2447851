"""Running heads, running feet and page numbers: what is printed on each page beside the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

# A margin holds at most so many lines, and a wider gap than between lines of the text parts it from that.
_MOST_LINES = 4
_GAP = 1.5
# A number beside words is that of the page only if it is not much larger than the number of pages.
_MOST_BEFORE = 100
_LONGEST = 200
# Letters of a running head are hardly larger than those of the text; those of a slide's title are.
_LARGEST = 1.2
# Lines recur if they stand on so many pages at most so far from each other.
_LEAST_PAGES = 3
_REACH = 6
# Of lines in the same place, the share that both begin or end with; and the least number of characters.
_ALIKE = 0.4
_LEAST_ALIKE = 8

_ROMAN = r"(?:(?:xl|l?x{1,3}|l)(?:ix|iv|v?i{0,3})|ix|iv|vi{0,3}|i{1,3})"
_NUMBER = re.compile(rf"\d+|\b{_ROMAN}\b")
_FIRST_NUMBER = re.compile(rf"[^\w]*(\d{{1,5}}|{_ROMAN})\b")
_LAST_NUMBER = re.compile(rf"\b(\d{{1,5}}|{_ROMAN})[^\w]*$")
_OF_TOTAL = re.compile(r"\b(\d{1,5}) ?(?:/|of|von|de|sur|di|van) ?\d{1,5}[^\w]*$")
_AROUND_NUMBERS = re.compile(r"\b(?:page|seite|página|pagina|pág|pag|p|of|von|de|sur|di|van)\b|[\W\d_]|第|页|頁")
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_CUT_WORD = re.compile(r"\w*(?:…|\.\.\.)")
_SECTION = re.compile(r"\d+(?:\.\d+)+\b")
_COLUMNS = re.compile(r"\S {3,}\S")
_TAIL = 40
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}


@dataclass(frozen=True, slots=True)
class PageLine:
    """A printed line: its text, its distance from the top of the page in any unit, and the height of its letters."""

    text: str
    place: float
    size: float = 1.0


Pages = Sequence[Sequence[PageLine]]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line near an edge: where it is, whether a gap parts it from the text, its words, and its possible numbers."""

    page: int
    index: int
    is_top: bool
    is_apart: bool
    line: PageLine
    key: str
    numbers: tuple[tuple[int, bool], ...]

    @property
    def is_number(self) -> bool:
        """Whether it shows the number of a page and nothing else."""
        return bool(self.numbers) and not _without_numbers(self.line.text)


def without_furniture(pages: Pages) -> list[list[PageLine]]:
    """The lines of each page without running heads, running feet and page numbers.

    A line is one of these if a gap parts it from the text, its letters are no larger than those of the text, and it
    recurs on nearby pages, shares its beginning or end with others in the same place of these, or has a number that
    grows with the pages. A line with words or numbers that stand nowhere else stays where it is first.

    Parameters
    ----------
    pages
        The lines of each page in the order in which they are read, blank ones left out.

    >>> texts = ["Engines recur.", "They go on.", "On and on.", "So do refrains.", "The end."]
    >>> pages = [[PageLine("On Engines", 0), *map(PageLine, texts, range(3, 8)), PageLine(f"- {n} -",
    ... 10)] for n in range(4)]
    >>> [line.text for line in without_furniture(pages)[2]]
    ['Engines recur.', 'They go on.', 'On and on.', 'So do refrains.', 'The end.']
    """
    margins = _candidates(pages, _text_size(pages))
    found = [*_found(margins, len(pages), is_top=True), *_found(margins, len(pages), is_top=False)]
    removed = _spare_words(pages, found) if found else set()
    return [
        [line for index, line in enumerate(page) if (number, index) not in removed] for number, page in enumerate(pages)
    ]


def _text_size(pages: Pages) -> float:
    """The height of the letters of most of the text."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=1.0)


def _candidates(pages: Pages, size: float) -> list[_Candidate]:
    return [
        _Candidate(number, index, is_top, is_apart, line, _key(line.text), _page_numbers(line.text))
        for number, page in enumerate(pages)
        for is_top in (True, False)
        for index, is_apart in _margin(page, is_top)
        if (line := page[index]).size <= size * _LARGEST and len(line.text) <= _LONGEST
    ]


def _margin(page: Sequence[PageLine], is_top: bool) -> list[tuple[int, bool]]:
    """The lines between an edge of the page and the first gap; where there is none near, the line at the edge."""
    order = sorted(range(len(page)), key=lambda index: page[index].place, reverse=not is_top)
    steps = [after.place - before.place for before, after in pairwise(page) if after.place > before.place]
    gap = median(steps) * _GAP if len(steps) > _MOST_LINES else _GAP * page[0].size if page else 0.0
    for count, (nearer, farther) in enumerate(pairwise(order), start=1):
        if abs(page[farther].place - page[nearer].place) >= gap:
            return [(index, True) for index in order[:count]]
        if count == _MOST_LINES:
            break
    return [(index, False) for index in order[:1]]


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _page_numbers(text: str) -> tuple[tuple[int, bool], ...]:
    """Numbers at the beginning and end of a line that may be that of the page, and whether they are Roman."""
    words = text.casefold().strip()
    ends = (_FIRST_NUMBER.match(words), _LAST_NUMBER.search(words[-_TAIL:]), _OF_TOTAL.search(words[-_TAIL:]))
    return tuple(dict.fromkeys(_value(end.group(1)) for end in ends if end))


def _value(number: str) -> tuple[int, bool]:
    if number.isdecimal():
        return int(number), False
    values = [_ROMAN_VALUES[letter] for letter in number]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True)), True


def _without_numbers(text: str) -> str:
    return _AROUND_NUMBERS.sub("", _NUMBER.sub("", text.casefold()))


def _found(margins: Sequence[_Candidate], pages: int, is_top: bool) -> Iterator[tuple[_Candidate, Collection[str]]]:
    """The lines in one margin that are furniture as far as the same margin of other pages shows; their page numbers."""
    side = [candidate for candidate in margins if candidate.is_top == is_top and candidate.is_apart]
    by_page: defaultdict[int, list[_Candidate]] = defaultdict(list)
    with_key: defaultdict[str, set[int]] = defaultdict(set)
    with_offset: defaultdict[tuple[int, bool], set[int]] = defaultdict(set)
    for candidate in side:
        by_page[candidate.page].append(candidate)
        with_key[candidate.key].add(candidate.page)
        for value, is_roman in candidate.numbers:
            with_offset[value - candidate.page, is_roman].add(candidate.page)
    seen: dict[tuple[str, int], _Candidate] = {}
    for candidate in side:
        counted = any(
            _is_frequent(with_offset[value - candidate.page, is_roman], candidate.page)
            and (candidate.is_number or value <= pages + _MOST_BEFORE)
            for value, is_roman in candidate.numbers
        )
        recurs = _is_frequent(with_key[candidate.key], candidate.page) and not candidate.is_number
        if counted or recurs or _resembles(candidate, by_page):
            seen[_form(candidate), candidate.page] = candidate
            yield candidate, _numbers_of_pages(candidate) if counted else ()
    for candidate in margins:
        if candidate.is_top == is_top and not candidate.is_apart:
            near = (seen.get((_form(candidate), page)) for page in _near(candidate.page))
            if any(other and _is_in_place_of(candidate, other) for other in near):
                yield candidate, _numbers_of_pages(candidate)


def _form(candidate: _Candidate) -> str:
    return _NUMBER.sub("0", candidate.key)


def _numbers_of_pages(candidate: _Candidate) -> Collection[str]:
    """The numbers at the ends of a line, which are those of a page and of all pages."""
    ends = (_FIRST_NUMBER.match(candidate.key), _LAST_NUMBER.search(candidate.key), _OF_TOTAL.search(candidate.key))
    return {number for end in ends if end for number in _WORD.findall(end.group())}


def _is_frequent(pages: Collection[int], page: int) -> bool:
    """Whether enough of these pages are near a page that is one of them."""
    return sum(other in pages for other in _near(page)) >= _LEAST_PAGES


def _near(page: int) -> range:
    return range(page - _REACH, page + _REACH + 1)


def _resembles(candidate: _Candidate, by_page: dict[int, list[_Candidate]]) -> bool:
    """Whether lines like this one stand in the same place of nearby pages, or it has the form of a running head."""
    if candidate.is_number or _SECTION.match(candidate.key):
        return False
    alike = sum(
        any(_is_in_place_of(candidate, o) and _are_alike(candidate.key, o.key) for o in by_page.get(page, ()))
        for page in _near(candidate.page)
    )
    return len(_COLUMNS.findall(candidate.line.text)) > 1 or alike >= _LEAST_PAGES


def _is_in_place_of(one: _Candidate, other: _Candidate) -> bool:
    """Whether two lines stand at the same height of their pages."""
    return abs(one.line.place - other.line.place) < one.line.size / 2


def _are_alike(one: str, other: str) -> bool:
    least = max(_LEAST_ALIKE, _ALIKE * max(len(one), len(other)))
    return _shared(one, other) >= least or _shared(one[::-1], other[::-1]) >= least


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    different = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(different, min(len(one), len(other)))


def _spare_words(pages: Pages, found: Sequence[tuple[_Candidate, Collection[str]]]) -> set[tuple[int, int]]:
    """The places of furniture, but for the lines in which words stand that stand nowhere else."""
    places = {(candidate.page, candidate.index) for candidate, _ in found}
    known = {
        word
        for number, page in enumerate(pages)
        for index, line in enumerate(page)
        if (number, index) not in places
        for word in _WORD.findall(line.text.casefold())
    }
    for candidate, numbers in sorted(found, key=lambda pair: (pair[0].page, pair[0].index)):
        words = set(_WORD.findall(_CUT_WORD.sub("", candidate.key))).difference(numbers)
        if not candidate.is_number and not words <= known:
            known |= words
            places.discard((candidate.page, candidate.index))
    return places
