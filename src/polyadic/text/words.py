"""Split text into words, and fold case and accents, for comparisons."""

import re
import unicodedata

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
"""A run of letters and digits, or a single Chinese or Japanese character."""

_MIN_INFLECTED, _MIN_PREFIX = 5, 4
_SHORT_WORD, _SHORT_ENDING, _LONG_ENDING = 8, 2, 3


def words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case.

    >>> sorted(words("Ada, ada and 月球"))
    ['ada', 'and', '月', '球']
    """
    return frozenset(WORD.findall(text.lower()))


def beginning(word: str) -> str:
    """Return a prefix shared by inflected forms and German compounds of a word; empty for short words and codes.

    >>> beginning("serves"), beginning("served"), beginning("fristen"), beginning("tun"), beginning("utf8")
    ('serv', 'serv', 'frist', '', '')
    """
    if len(word) < _MIN_INFLECTED or not word.isalpha():
        return ""
    ending = _SHORT_ENDING if len(word) < _SHORT_WORD else _LONG_ENDING
    return word[: max(_MIN_PREFIX, len(word) - ending)]


def without_accents(text: str) -> str:
    """Remove accents and other combining marks; the result is decomposed (NFKD).

    >>> without_accents("Café")
    'Cafe'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def folded(text: str) -> str:
    """Fold case and accents, as the full-text index does.

    >>> folded("CAFÉ")
    'cafe'
    """
    return text.lower() if text.isascii() else without_accents(text.casefold())
