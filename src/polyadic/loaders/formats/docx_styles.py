"""Styles and numbering of Word files: the levels of headings, and the numbers before paragraphs ("2.1", "(a)").

Word computes the numbers when it shows a file; they are not in its text.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
"""Namespace of the elements of Word files."""
Element = Any
"""An lxml element; lxml has no type annotations."""

# Most styles that are followed from one to that which it is based on; hostile files have cycles.
_MAX_STYLE_DEPTH = 10
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_LEVELS = 9
_MAX_NUMBER = 99_999
_MAX_LABEL = 40
_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_UNITS = ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def value(parent: Element, name: str) -> str:
    """Return the value of a child element such as ``<w:numId w:val="3"/>``; empty if there is none."""
    found = parent.find(f"{W}{name}")
    return (found.get(f"{W}val") or "") if found is not None else ""


def heading_levels(styles: Element) -> Callable[[str], int]:
    """Return a function that maps a style id to its heading level, or to 0 if it is not a heading style."""
    known = {style.get(f"{W}styleId"): style for style in styles.iter(f"{W}style")}

    def level(name: str) -> int:
        for _ in range(_MAX_STYLE_DEPTH):
            style = known.get(name)
            if style is None:
                return 0
            style_name = value(style, "name")
            if style_name.lower() == "title":
                return 1
            if found := _HEADING.fullmatch(style_name):
                return min(6, max(1, int(found.group(1))))
            name = value(style, "basedOn")
        return 0

    return level


@dataclass(frozen=True, slots=True)
class ListLabel:
    """The number of a paragraph; ``text`` is empty for a bullet, and for a level without a number.

    Levels down to the last one with composite numbers such as "2.1" number sections, and deeper levels number list
    items. ``depth`` counts from 0, separately for sections and for items.
    """

    text: str
    depth: int
    is_section: bool = False


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a list: how its numbers are written, their pattern such as "%1.%2", and the first number."""

    format: str = "decimal"
    pattern: str = ""
    start: int = 1
    is_decimal_only: bool = False
    style: str = ""


@dataclass(frozen=True)
class _List:
    """A list: lists with the same ``counters`` continue each other, except at the levels in ``restarts``."""

    counters: str
    levels: tuple[_Level, ...]
    restarts: Mapping[int, int]

    @cached_property
    def deepest_section(self) -> int:
        """The deepest level with composite numbers such as "2.1"; -1 if there is none."""
        return max(
            (depth for depth, one in enumerate(self.levels) if len(_PLACEHOLDER.findall(one.pattern)) > 1), default=-1
        )


class DocxNumbering:
    """The numbers of the lists of a file, counted as its paragraphs are read in order.

    Parameters
    ----------
    numbering
        Root of ``numbering.xml``; None if the file has no lists.
    styles
        Root of ``styles.xml``.
    """

    def __init__(self, numbering: Element | None, styles: Element) -> None:
        self._styles = _by_id(styles, "style", "styleId")
        self._lists = _lists(numbering, self._styles)
        self._counters: dict[str, list[int | None]] = {}
        self._restarted: set[tuple[str, int]] = set()

    def label(self, properties: Element) -> ListLabel | None:
        """Count a paragraph with these properties, and return its number; None if it is in no list."""
        number, depth = self._list_and_depth(properties)
        # List 0 takes a paragraph out of the list of its style.
        if number in ("", "0"):
            return None
        found = self._lists.get(number)
        if found is None:
            return ListLabel("", depth)
        counters = self._counters.setdefault(found.counters, [None] * _LEVELS)
        before = counters[depth]
        if depth in found.restarts and (number, depth) not in self._restarted:
            self._restarted.add((number, depth))
            counters[depth] = found.restarts[depth]
        else:
            counters[depth] = found.levels[depth].start if before is None else min(_MAX_NUMBER, before + 1)
        counters[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        items = found.deepest_section + 1
        is_section = depth < items
        return ListLabel(_formatted(found.levels, counters, depth), depth if is_section else depth - items, is_section)

    def _list_and_depth(self, properties: Element) -> tuple[str, int]:
        """Return the list and the level that a paragraph or its style names; the list is "" if neither does."""
        number, depth = _values(properties.find(f"{W}numPr"))
        style = value(properties, "pStyle")
        for _ in range(_MAX_STYLE_DEPTH):
            found = self._styles.get(style)
            if number or found is None:
                break
            number, styled_depth = _values(found.find(f"{W}pPr/{W}numPr"))
            depth = depth or styled_depth or self._linked_depth(number, style)
            style = value(found, "basedOn")
        return number, min(_LEVELS - 1, _number(depth, 0))

    def _linked_depth(self, number: str, style: str) -> str:
        """Return the level that a list assigns to a paragraph style."""
        levels = self._lists[number].levels if number in self._lists else ()
        return next((str(depth) for depth, level in enumerate(levels) if level.style == style), "")


def _lists(numbering: Element | None, styles: Mapping[str, Element]) -> dict[str, _List]:
    definitions, instances = _by_id(numbering, "abstractNum", "abstractNumId"), _by_id(numbering, "num", "numId")

    def definition_of(instance: Element) -> str:
        """Return the definition of a list, following a link to a list style."""
        name = value(instance, "abstractNumId")
        linked = styles.get(value(definitions[name], "numStyleLink")) if name in definitions else None
        target = instances.get(_values(linked.find(f"{W}pPr/{W}numPr"))[0]) if linked is not None else None
        return value(target, "abstractNumId") if target is not None else name

    lists = {}
    for number, instance in instances.items():
        name = definition_of(instance)
        overrides = {_number(one.get(f"{W}ilvl"), 0): one for one in instance.iter(f"{W}lvlOverride")}
        starts = {depth: one.find(f"{W}startOverride") for depth, one in overrides.items()}
        restarts = {depth: _number(one.get(f"{W}val"), 1) for depth, one in starts.items() if one is not None}
        own = [level for one in overrides.values() for level in one.iter(f"{W}lvl")]
        shared = definitions[name].iter(f"{W}lvl") if name in definitions else ()
        lists[number] = _List(name, _levels([*shared, *own]), restarts)
    return lists


def _levels(elements: Iterable[Element]) -> tuple[_Level, ...]:
    """Return the nine levels of a list; of two elements for the same level the last one counts."""
    levels = [_Level()] * _LEVELS
    for element in elements:
        depth = _number(element.get(f"{W}ilvl"), 0)
        if depth < _LEVELS:
            levels[depth] = _Level(
                value(element, "numFmt") or "decimal",
                value(element, "lvlText"),
                _number(value(element, "start"), 1),
                element.find(f"{W}isLgl") is not None,
                value(element, "pStyle"),
            )
    return tuple(levels)


def _by_id(root: Element | None, name: str, attribute: str) -> dict[str, Element]:
    elements = root.iterchildren(f"{W}{name}") if root is not None else ()
    return {str(element.get(f"{W}{attribute}")): element for element in elements}


def _values(numbering: Element | None) -> tuple[str, str]:
    """Return the list and the level in a numPr element."""
    return (value(numbering, "numId"), value(numbering, "ilvl")) if numbering is not None else ("", "")


def _formatted(levels: Sequence[_Level], counters: Sequence[int | None], depth: int) -> str:
    """Fill in the pattern of a level, such as "%1.%2"."""
    own = levels[depth]
    if own.format in ("bullet", "none"):
        return ""

    def filled(match: re.Match[str]) -> str:
        level = int(match[1]) - 1
        counted = counters[level]
        number = levels[level].start if counted is None else counted
        return _FORMATS.get("decimal" if own.is_decimal_only else levels[level].format, str)(number)

    return " ".join(_PLACEHOLDER.sub(filled, own.pattern).split())[:_MAX_LABEL]


def letters(number: int) -> str:
    """Write a number in letters as Word does: a to z, then each letter doubled (aa to zz), then tripled, and so on.

    >>> letters(1), letters(27), letters(53)
    ('a', 'aa', 'aaa')
    """
    repeats, index = divmod(max(1, min(number, 26 * 10)) - 1, 26)
    return "abcdefghijklmnopqrstuvwxyz"[index] * (repeats + 1)


def roman(number: int) -> str:
    """Write a number in lower-case Roman numerals, or in digits from 4,000 on.

    >>> roman(4), roman(49), roman(4000)
    ('iv', 'xlix', '4000')
    """
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for worth, numeral in (*_ROMAN, *_ROMAN_UNITS):
        count, number = divmod(number, worth)
        text += numeral * count
    return text


def _number(text: str | None, default: int) -> int:
    return min(_MAX_NUMBER, int(text)) if text and text.isdecimal() and len(text) < 10 else default


_FORMATS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": letters,
    "upperLetter": lambda number: letters(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "decimalZero": lambda number: f"{number:02}",
    "ordinal": lambda number: f"{number}{_ordinal_suffix(number)}",
}


def _ordinal_suffix(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
