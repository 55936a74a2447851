"""Compare words by their letters, because models write names with other quotes, dashes and endings than the text."""

import re
import unicodedata
from functools import lru_cache

WORD = re.compile(r"[^\W_]+")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_NO_LETTERS = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())
# A word counts as being in a text if its beginning is: "Libyan" where that has "Libya".
_STEM = 5
_SHORTEST_WORD = 4


def letters_of(text: str) -> str:
    """Reduce a text to its letters and digits, without accents and case.

    >>> letters_of("O’Brien, Zoë") == letters_of("o'brien zoe")
    True
    """
    # Consecutive facts tend to share names.
    return _letters_of_name(text) if len(text) < 200 else _letters(text)


def stem_of(word: str) -> str:
    """Return the first letters of a word."""
    return letters_of(word)[:_STEM]


def stems_of(text: str) -> set[str]:
    """Return the stems of numbers, capitalized words and words of at least four letters.

    >>> sorted(stems_of("Mira Falk of Osk left in 1962."))
    ['1962', 'falk', 'left', 'mira', 'osk']
    """
    return {stem_of(word) for word in WORD.findall(text) if len(word) >= _SHORTEST_WORD or not word.islower()}


def _letters(text: str) -> str:
    if text.isascii():
        return text.lower().translate(_NO_LETTERS)
    return _NOT_A_LETTER.sub("", unicodedata.normalize("NFKD", text).casefold())


_letters_of_name = lru_cache(maxsize=4_096)(_letters)
