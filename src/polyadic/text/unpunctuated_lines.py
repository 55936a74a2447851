"""Recognize paragraphs whose lines are items of their own, such as notes without full stops.

Prose is wrapped where the next word would not fit, so only its last line is short. The lines of notes end anywhere,
and most begin like a sentence or with a key: ``Keys: with Anna``. Verses begin so as well, but many of them end in a
comma or with a word that needs another one. Code, addresses, text in columns and lines that hang below the first one
are no notes.
"""

import re
from collections.abc import Sequence

from polyadic.text.stopwords import PRONOUNS, likely_function_words

# Prose is mostly wrapped at more characters; narrower prose is recognized by where its lines end.
_MAX_WIDTH = 60
# Hardly any prose is wrapped at fewer characters, so that such lines need not be of different lengths.
_NARROW = 40
_MIN_LINES, _MIN_PAIRS = 3, 2
# Share of the lines that would have room for the next word and some more characters, relative to the width.
_MIN_EARLY, _SLACK = 0.6, 0.1
# Share of the lines that go on in the next one.
_MAX_OPEN = 0.2
_CODE_INDENT = 4
# Lines of ideographs end some characters earlier where punctuation may not begin a line.
_IDEOGRAPHS, _FIRST_IDEOGRAPH = 4, "\u2e80"
_OPENS = re.compile(r"[\"'“„«‘(\[`*]*[^\W_a-zß-öø-ÿа-яё]")
_KEY_AND_VALUE = re.compile(r"[^\W_][^:\n]{0,40}:[ \t]+\S")
_COLUMNS = re.compile(r"\S[ \t]{3,}\S")
_ENDS_OPEN = re.compile(r"[:：,;，；、—–-][*_`]*$")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
# Full stops at the end of lines and between sentences; those of abbreviations follow shorter words. Notes may end with
# a question mark.
_STOP = re.compile(r"[.!…。！？][\"'”’)\]]*$|[^\W\d_A-Z]{4}[.!?…][\"'”’)\]]*[ \t]+[^\W\d_a-z]|[。！？]")
# At most one of so many lines has a full stop.
_LINES_PER_STOP = 5
_ADDRESS_LINES = 9
_LOWER_CASE = re.compile(r"(?<![\w.@/+-])[a-zß-öø-ÿ]{4,}(?![\w.@-])")
_E_MAIL = re.compile(r"(?:[\w-]{1,12}:[ \t]*)?<?[\w.+-]+@[\w.-]+>?$")


def are_items(lines: Sequence[str], language: str) -> bool:
    """Return whether the lines of a paragraph are items.

    These are two or more lines of a key and a value each, or several short lines most of which begin with a capital, a
    digit or a key.

    Parameters
    ----------
    lines
        The lines, of which none is blank.
    language
        ISO 639-1 code.

    >>> are_items(["Keys: with Anna", "bin day is Tuesday", "Cat eats twice a day", "Train at 9"], "en")
    True
    >>> are_items(["The relay was built in Ulm by", "Anna Kern. She wrote", "Three Books about it."], "en")
    False
    """
    shown = [line.strip() for line in lines]
    width = max(map(len, shown), default=0)
    if len(shown) < _MIN_PAIRS or width > _MAX_WIDTH or not _are_flush(lines):
        return False
    pairs = [_KEY_AND_VALUE.match(line) is not None for line in shown]
    if all(pairs):
        return True
    if len(shown) < _MIN_LINES or any(map(_COLUMNS.search, shown)) or _is_address(shown):
        return False
    closed = sum(not pair and _OPENS.match(line) is None for line, pair in zip(shown, pairs, strict=True))
    if closed > (len(shown) - _MIN_PAIRS) // 2:
        return False
    if _LINES_PER_STOP * sum(_STOP.search(line) is not None for line in shown) > len(shown):
        return False
    small = likely_function_words(language) - PRONOUNS
    if sum(_goes_on(line, small) for line in shown[:-1]) > _MAX_OPEN * len(shown):
        return False
    is_narrow = width <= _NARROW and all(line[0] < _FIRST_IDEOGRAPH for line in shown)
    return (is_narrow and (not closed or any(pairs))) or _end_early(shown, width)


def _are_flush(lines: Sequence[str]) -> bool:
    """Return whether all lines begin in the same column, and not so far to the right that they are code."""
    columns = {len(line) - len(line.lstrip()) for line in (line.expandtabs() for line in lines)}
    return len(columns) == 1 and columns.pop() < _CODE_INDENT


def _is_address(lines: Sequence[str]) -> bool:
    """Return whether lines are an address or a signature: names with a number or an e-mail address."""
    if len(lines) > _ADDRESS_LINES or ":" in lines[0]:
        return False
    has_number = any(character.isdigit() for line in lines for character in line)
    if any(map(_E_MAIL.match, lines[1:])):
        return True
    return has_number and not any(map(_LOWER_CASE.search, lines))


def _goes_on(line: str, small: frozenset[str]) -> bool:
    """Return whether a line ends with a comma, a colon or a dash, or with a function word."""
    last = _LAST_WORD.search(line)
    return _ENDS_OPEN.search(line) is not None or (last is not None and last[0] in small)


def _end_early(lines: Sequence[str], width: int) -> bool:
    """Return whether most lines end before they are full; the longest one is full by definition."""
    following = (line.split(maxsplit=1)[0] for line in lines[1:])
    needed = (len(line) + _growth(word) + _SLACK * width for line, word in zip(lines, following, strict=False))
    early = [length <= width for length in needed]
    return sum(early) >= _MIN_EARLY * (len(early) - (len(lines[-1]) < width))


def _growth(word: str) -> int:
    """Return the number of characters by which a line grows if a word is added, or its first ideographs."""
    return _IDEOGRAPHS if word[0] >= _FIRST_IDEOGRAPH else 1 + len(word)
