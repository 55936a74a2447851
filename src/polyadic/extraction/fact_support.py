"""Decide whether a window supports what a model states as its fact: the numbers and names must be there."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache

from polyadic.llm.replies.parsed_reply import ParsedFact
from polyadic.model.types import Span

_NUMBER = re.compile(r"\d+(?:[.,’'\u00a0\u202f]\d+)*")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})+")
_SECOND_YEAR = re.compile(r"\b(\d\d)(\d\d)\s?[-–/]\s?(\d\d)\b")
_WORD = re.compile(r"[^\W_]+")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_NO_LETTERS = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())
# Smaller numbers are often words in the window, in whatever language.
_MIN_DIGITS = 2
_NUMBER_WORDS = {
    word: str(first + step * place)
    for words, first, step in (
        ("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10, 1),
        ("tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth", 10, 1),
        ("twenty thirty forty fifty sixty seventy eighty ninety hundred", 20, 10),
    )
    for place, word in enumerate(words.split())
}
# A word counts as being in the window if its beginning is: "Libyan" where that has "Libya".
_STEM = 5


class WindowText:
    """What a model was given of a window, for looking up names and numbers.

    >>> window = WindowText("Mira Falk founded the museum of Osk in 1962–64.")
    >>> window.contains("Osk museum"), window.has_words("Osk museum"), window.has_name("Turin")
    (False, True, False)
    >>> window.missing_numbers("From 1964 to 1987.")
    ['1987']
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def contains(self, name: str) -> bool:
        """Return whether the window has the letters of a name in a row."""
        letters = letters_of(name)
        return bool(letters) and letters in self._letters

    def has_name(self, name: str) -> bool:
        """Return whether the window has a capitalized word of a name, whatever its ending, if there is any."""
        words = [word for word in _WORD.findall(name) if not word.islower()]
        return not words or any(map(self._has_stem, words))

    def has_words(self, name: str) -> bool:
        """Return whether the window has all words of a name, whatever their endings and wherever they are."""
        return all(map(self._has_stem, _WORD.findall(name)))

    def _has_stem(self, word: str) -> bool:
        return letters_of(word)[:_STEM] in self._letters

    def missing_numbers(self, fact: str) -> list[str]:
        """Return the numbers of two digits or more that a fact has and the window does not contain."""
        return [number for number in _NUMBER.findall(fact) if not self._has_number(number)]

    def _has_number(self, number: str) -> bool:
        digits = _digits(number)
        # Section 2.1 may be the first paragraph below the heading "2. Restrictions".
        is_section = _SECTION.fullmatch(number) is not None and self._numbers.issuperset(number.split("."))
        return len(digits) < _MIN_DIGITS or digits in self._numbers or is_section

    @cached_property
    def _letters(self) -> str:
        return letters_of(self._text)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        words = (_NUMBER_WORDS[word] for word in _WORD.findall(self._text.lower()) if word in _NUMBER_WORDS)
        years = (century + year for century, _, year in _SECOND_YEAR.findall(self._text))
        return frozenset((*map(_digits, _NUMBER.findall(self._text)), *words, *years))


def why_unsupported(fact: ParsedFact, window: WindowText, spans: Sequence[Span]) -> str:
    """Say why a window does not support a fact; empty if it does, as far as names and numbers tell.

    Parameters
    ----------
    fact
        The fact as the model wrote it.
    window
        The window with its title and context.
    spans
        The sentences that it cites, as far as they exist.
    """
    if fact.sentences and not spans:
        return "it cites no sentence of the text"
    if numbers := window.missing_numbers(fact.text):
        return f"the text does not contain the number {numbers[0]}"
    name = next((form for form in map(fact.form, fact.participants) if not window.has_name(form)), None)
    return f"the text does not contain the name {name}" if name else ""


def letters_of(text: str) -> str:
    """Reduce a text to its letters and digits, without accents and case.

    Models often write names with other quotes, dashes and spaces than the window.

    >>> letters_of("O’Brien, Zoë") == letters_of("o'brien zoe")
    True
    """
    # Consecutive facts tend to share names.
    return _letters_of_name(text) if len(text) < 200 else _letters(text)


def _letters(text: str) -> str:
    if text.isascii():
        return text.lower().translate(_NO_LETTERS)
    return _NOT_A_LETTER.sub("", unicodedata.normalize("NFKD", text).casefold())


_letters_of_name = lru_cache(maxsize=4_096)(_letters)


def _digits(number: str) -> str:
    return "".join(character for character in number if character.isdigit())
