"""Detect names that are numbers or codes."""

import re
from collections.abc import Sequence
from enum import StrEnum

from polyadic.text.dates import days_of
from polyadic.text.named_entities import NameKind, names
from polyadic.text.stopwords import words as listed
from polyadic.text.vocabulary import Vocabulary

# "000A", "4f3c", "12-b"; not "3D printing".
_CODE = re.compile(r"[\W_]*\d[\w.:/#-]*|[^\W\d]")
_DIGITS = r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|s)?"
_WORD = re.compile(rf"{_DIGITS}(?![\w-])|[^\W_]+(?:-[^\W\d_]+)*")
_WORD_OF_DIGITS = re.compile(_DIGITS)
_YEAR = re.compile(r"\d{4}")


class _WordKind(StrEnum):
    COUNT = "count"
    ORDINAL = "ordinal"
    CALENDAR = "calendar"
    UNIT = "unit"
    AROUND = "around"


_KINDS = {
    word: kind
    for kind, words in {
        _WordKind.AROUND: "a an the of in on at and or to from between until before after since by about around"
        " approximately circa c ca over under more less than nearly almost early mid late only",
        _WordKind.COUNT: "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
        " million billion dozen half once twice",
        _WordKind.ORDINAL: "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        _WordKind.CALENDAR: "january february march april may june july august september october november december"
        " spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday century centuries bc ad",
        _WordKind.UNIT: "minute hour day night week month year decade"
        " minutes hours days nights weeks months years decades",
    }.items()
    for word in words.split()
}
_ALSO_NAMES = listed("april august june march may spring summer winter")


def is_a_code(name: str) -> bool:
    """Return whether a name is a single letter, or one word that begins with a digit.

    >>> is_a_code("000A"), is_a_code("N"), is_a_code("STS-71"), is_a_code("船")
    (True, True, False, False)
    """
    return _CODE.fullmatch(name) is not None and not (len(name) == 1 and name > "\u2e80")


def is_a_number(name: str) -> bool:
    """Return whether a name is a number, an amount or a date, in digits or in English words.

    >>> is_a_number("12 May 1843"), is_a_number("139 km"), is_a_number("1984 (novel)"), is_a_number("ada")
    (True, True, False, False)
    >>> is_a_number("October 1957"), is_a_number("two and a half hours"), is_a_number("Mercury Seven")
    (True, True, False)
    """
    words = _WORD.findall(name)
    kinds = [_kind(word) for word in words]
    return _is_in_words(name, kinds) or _counts(words, kinds) or _is_in_digits(name)


def _kind(word: str) -> _WordKind | None:
    """Kind of a word; that of "twenty-first" is the kind of its last part, "two-stroke" has none."""
    if word[0].isdigit():
        return _WordKind.COUNT if word[-1].isdigit() else _WordKind.ORDINAL if _WORD_OF_DIGITS.fullmatch(word) else None
    *before, last = (_KINDS.get(part) for part in word.casefold().split("-"))
    return last if None not in before else None


def _is_in_words(name: str, kinds: Sequence[_WordKind | None]) -> bool:
    """Whether all words are those of a date, a time or a number; a month alone may be a name ("May")."""
    named = {kind for kind in kinds if kind is not _WordKind.AROUND}
    if not named or None in named or name.casefold() in _ALSO_NAMES:
        return False
    return named != {_WordKind.UNIT} or name.islower()


def _counts(words: Sequence[str], kinds: Sequence[_WordKind | None]) -> bool:
    """Whether it is a number of things: "two days", "more than 40 films", but not "1970 coup" or "Seven Samurai"."""
    first = next((place for place, kind in enumerate(kinds) if kind is not _WordKind.AROUND), len(kinds))
    things = words[first + 1 :]
    if (
        first == len(kinds)
        or kinds[first] is not _WordKind.COUNT
        or _YEAR.fullmatch(words[first])
        or things[:1] == ["of"]
    ):
        return False
    return all(word == word.lower() for word in things)


def _is_in_digits(name: str) -> bool:
    """Whether it is a number or a date with signs or in other languages: "3.5 %", "1843-05-12", "8 de mayo de 1990"."""
    if not any(map(str.isdigit, name)):
        return False
    if not any(map(str.isalpha, name)) or days_of(name):
        return True
    found = names(name, Vocabulary("en"))
    sorts = {one.sort for one in found}
    return bool(found) and sorts <= {NameKind.NUMBER, NameKind.DATE} and len(found[0].text) == len(name.strip())
